// A copy of the repository in which bugs are seeded and taken out again. Each seeding is type-checked in full.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBuild } from './incremental-build.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** `copied` and `linked`: what the copy needs beside the source and the settings of the build. The caller removes it. */
export function openSeededCopy({ copied = [], linked }) {
  const home = mkdtempSync(join(tmpdir(), 'pin-mutants-'));
  for (const name of ['src', 'tsconfig.json', 'tsconfig.build.json', 'package.json', ...copied])
    cpSync(join(ROOT, name), join(home, name), { recursive: true });
  for (const name of linked) symlinkSync(join(ROOT, name), join(home, name));
  mkdirSync(join(home, 'test'), { recursive: true });
  const build = openBuild(home);
  const complaints = build([]);
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  /** Files that were put back and are still built with a bug in them. */
  let stale = [];
  return {
    home,
    /** Runs `judge` while the bug is in; its verdict, or why there was nothing to judge. */
    withBug({ edits }, judge) {
      const misplaced = edits.find(([file, text]) => occurrences(home, file, text) !== 1);
      if (misplaced !== undefined)
        return { isCaught: false, words: `${misplaced[0]} does not hold this exactly once: ${misplaced[1]}` };
      const { changed, restore } = seed(home, edits);
      try {
        const [complaint] = build([...stale, ...changed]);
        return complaint === undefined ? judge() : { isCaught: false, words: `does not build: ${complaint}` };
      } finally {
        restore();
        stale = changed;
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Judges one bug after another and says what became of each; the exit code. */
export function judgeAll(copy, bugs, judge) {
  const say = (line) => process.stdout.write(`${line}\n`);
  let left = 0;
  for (const bug of bugs) {
    const { isCaught, words } = copy.withBug(bug, () => judge(bug));
    if (!isCaught) left += 1;
    say(`${isCaught ? 'caught ' : 'ALIVE  '} ${bug.name}: ${words}`);
  }
  say(`${bugs.length - left} of ${bugs.length} seeded bugs were caught`);
  return left === 0 ? 0 : 1;
}

function occurrences(home, file, text) {
  return readFileSync(join(home, 'src', file), 'utf8').split(text).length - 1;
}

/** Applies the edits; returns the files that changed and what puts them back. */
function seed(home, edits) {
  const originals = new Map();
  for (const [file, text, replacement] of edits) {
    const path = join(home, 'src', file);
    const source = readFileSync(path, 'utf8');
    if (!originals.has(path)) originals.set(path, source);
    writeFileSync(
      path,
      source.replace(text, () => replacement),
    );
  }
  const restore = () => {
    for (const [path, source] of originals) writeFileSync(path, source);
  };
  return { changed: [...originals.keys()], restore };
}
