// Puts seeded bugs into a copy of the source, one at a time, and runs the simulator on each until it notices. A bug that survives means
// that the simulator is blind there. `npm run sim:mutants [part of a name]`; exit code 1 when one survives or does not build.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBuild } from './mutants/incremental-build.mjs';
import { SEEDED_BUGS } from './mutants/seeded-bugs.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAX_SCHEDULES = Number(process.env['SIM_MUTANT_SCHEDULES'] ?? 20_000);
const LIMIT_MS = 600_000;
/** Copies need these beside the source. */
const LINKED = ['node_modules', 'schemas', 'migrations'];

const wanted = process.argv[2] ?? '';
const bugs = SEEDED_BUGS.filter(({ name }) => name.includes(wanted));
const home = mkdtempSync(join(tmpdir(), 'pin-mutants-'));
const say = (line) => process.stdout.write(`${line}\n`);

function prepare() {
  cpSync(join(ROOT, 'src'), join(home, 'src'), { recursive: true });
  for (const file of ['tsconfig.json', 'tsconfig.build.json', 'package.json'])
    cpSync(join(ROOT, file), join(home, file));
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(home, name));
  mkdirSync(join(home, 'test'));
}

const read = (file) => readFileSync(join(home, 'src', file), 'utf8');

/** Applies the edits; returns the files that changed and what puts them back. */
function seed(edits) {
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

function simulate() {
  const args = [join(home, 'dist/app/main.js'), 'sim', '--schedules', String(MAX_SCHEDULES), '--json'];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: home,
    encoding: 'utf8',
    timeout: LIMIT_MS,
    maxBuffer: 1 << 28,
  });
  const line = stdout.trim().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? JSON.parse(line) : null;
}

/** Files that were put back and are still built with a bug in them. */
let stale = [];

/** In words, what became of the bug. */
function verdictOn({ edits }, build) {
  const misplaced = edits.find(([file, text]) => read(file).split(text).length !== 2);
  if (misplaced !== undefined)
    return { isCaught: false, words: `${misplaced[0]} does not hold this exactly once: ${misplaced[1]}` };
  const { changed, restore } = seed(edits);
  try {
    const complaints = build([...stale, ...changed]);
    return complaints.length > 0
      ? { isCaught: false, words: `does not build: ${complaints[0]}` }
      : verdictBySimulation();
  } finally {
    restore();
    stale = changed;
  }
}

function verdictBySimulation() {
  const result = simulate();
  if (result === null) return { isCaught: false, words: 'the simulator gave no answer' };
  if (result.failure === null) return { isCaught: false, words: `survives ${result.schedules} schedules` };
  const { seed: caughtBy, violation } = result.failure;
  return { isCaught: true, words: `schedule ${caughtBy}: ${violation.invariant} (${violation.detail})` };
}

try {
  prepare();
  const build = openBuild(home);
  const complaints = build([]);
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  let left = 0;
  for (const bug of bugs) {
    const { isCaught, words } = verdictOn(bug, build);
    if (!isCaught) left += 1;
    say(`${isCaught ? 'caught ' : 'ALIVE  '} ${bug.name}: ${words}`);
  }
  say(`${bugs.length - left} of ${bugs.length} seeded bugs were caught`);
  process.exitCode = left === 0 ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
