// Which lines of the rules and of the topology the simulator reaches: `npm run sim:coverage [schedules]`, after `npm run build`. It counts the
// lines of the built files that hold more than a brace; a line is reached when no range that never ran covers it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ROOMS = ['domain', 'topology'];
/** Parts that no running process has: the tests' driver, and the words of `pin topology`. */
const NEVER_RUN = ['test-driver.js', 'describe-topology.js'];
const schedules = process.argv[2] ?? '2000';
const home = mkdtempSync(join(tmpdir(), 'pin-coverage-'));

/** Ranges by file, as V8 writes them at the end of the process. */
function runAndRead() {
  spawnSync(process.execPath, [join(ROOT, 'dist/app/main.js'), 'sim', '--schedules', schedules], {
    env: { ...process.env, NODE_V8_COVERAGE: home },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const files = new Map();
  for (const name of readdirSync(home))
    for (const { url, functions } of JSON.parse(readFileSync(join(home, name), 'utf8')).result)
      files.set(
        url,
        functions.flatMap(({ ranges }) => ranges),
      );
  return files;
}

/** One flag for each line that counts. */
function linesReached(source, ranges) {
  const isReached = new Uint8Array(source.length).fill(ranges.length === 0 ? 0 : 1);
  // Inner ranges come after the ones that hold them.
  for (const { startOffset, endOffset, count } of ranges)
    isReached.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  const flags = [];
  let at = 0;
  for (const line of source.split('\n')) {
    const first = at + line.length - line.trimStart().length;
    if (/\w/.test(line) && !/^\s*(\/\/|\/?\*)/.test(line)) flags.push(isReached[first] === 1);
    at += line.length + 1;
  }
  return flags;
}

try {
  const coverage = runAndRead();
  for (const room of ROOMS) {
    const all = [];
    for (const name of readdirSync(join(ROOT, 'dist', room))) {
      if (!name.endsWith('.js') || NEVER_RUN.includes(name)) continue;
      const path = join(ROOT, 'dist', room, name);
      const flags = linesReached(readFileSync(path, 'utf8'), coverage.get(pathToFileURL(path).href) ?? []);
      all.push(...flags);
      const missed = flags.filter((flag) => !flag).length;
      if (missed > 0)
        process.stdout.write(`  ${room}/${name}: ${missed} of ${flags.length} lines never ran\n`);
    }
    const share = (100 * all.filter(Boolean).length) / all.length;
    process.stdout.write(`${room}: ${share.toFixed(1)} % of ${all.length} lines reached\n`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
