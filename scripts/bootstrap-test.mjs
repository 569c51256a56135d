// `npm test`: all suites in one run, against one set of servers. Where the servers cannot run it runs what needs none
// and names the rest; under CI anything left out or skipped is a failure. Its last line is `N passed, N failed`.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runInForeground, runQuietly, step } from './bootstrap-steps.mjs';

const SHOWN_SKIPPED = 20;
const isCi = ['1', 'true'].includes((process.env.CI ?? '').toLowerCase());
/** As in vitest.config.ts. */
const REAL_FOLDERS = ['test/integration', 'test/acceptance', ...(isCi ? ['test/chaos'] : [])];

/** Resolves with the exit code. */
export async function runTests(args) {
  const leftOut = await suitesLeftOut();
  const projects = [
    'fast',
    ...(hasTests('test/simulation') ? ['sim'] : []),
    ...(leftOut === null ? ['real'] : []),
  ];
  const folder = mkdtempSync(join(tmpdir(), 'pin-tally-'));
  const tallyFile = join(folder, 'tally.json');
  const code = await runInForeground(
    process.execPath,
    [
      ...[join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--reporter=default'],
      ...[
        '--reporter=./scripts/bootstrap-tally.mjs',
        ...projects.flatMap((name) => ['--project', name]),
        ...args,
      ],
    ],
    { ...process.env, TEST_TALLY_FILE: tallyFile },
  );
  const tally = existsSync(tallyFile)
    ? JSON.parse(readFileSync(tallyFile, 'utf8'))
    : { passed: 0, failed: 0, skipped: [] };
  rmSync(folder, { recursive: true, force: true });
  return closeWith({ code, tally, leftOut });
}

/** Null when nothing is. Fetches the servers on the way, so that it fails here and not inside a test. */
async function suitesLeftOut() {
  const files = REAL_FOLDERS.flatMap(testsBelow);
  if (files.length === 0) return null;
  const runStack = join(root, 'dist', 'app', 'stack', 'run-stack.js');
  try {
    const fetch = () => runQuietly(process.execPath, [runStack, '--fetch'], { talks: true });
    await step('servers for the tests', fetch, { talks: true });
    return null;
  } catch (error) {
    return { files, ...reasonOf(error) };
  }
}

function reasonOf(error) {
  try {
    const { missing, howToGet } = JSON.parse(error.output);
    return { why: `missing here: ${missing.join(', ')}`, howToGet: howToGet.join('; or ') };
  } catch {
    return { why: error.message.trim(), howToGet: 'see the message above' };
  }
}

function closeWith({ code, tally, leftOut }) {
  nameSkipped(tally.skipped);
  nameLeftOut(leftOut);
  const notRun = tally.skipped.length + (leftOut === null ? 0 : leftOut.files.length);
  if (isCi && notRun > 0) console.log('under CI what did not run counts as failed');
  const failed = tally.failed + (isCi ? notRun : 0);
  // A run that broke outside a test, or in which nothing ran, proves nothing.
  const isHollow = failed === 0 && (code !== 0 || tally.passed === 0);
  console.log(`${tally.passed} passed, ${isHollow ? 1 : failed} failed`);
  return failed === 0 && !isHollow ? 0 : code || 1;
}

function nameSkipped(skipped) {
  if (skipped.length === 0) return;
  console.log(`\nskipped ${skipped.length}:`);
  for (const name of skipped.slice(0, SHOWN_SKIPPED)) console.log(`  ${name}`);
}

function nameLeftOut(leftOut) {
  if (leftOut === null) return;
  console.log(`\nleft out ${leftOut.files.length} files that need the real servers: ${leftOut.why}`);
  for (const file of leftOut.files) console.log(`  ${file}`);
  console.log(`to run them too: ${leftOut.howToGet}`);
}

function hasTests(folder) {
  return testsBelow(folder).length > 0;
}

function testsBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`)
    .sort();
}
