// Puts seeded bugs of the SQL and of the relay, and the few that the simulator does not meet, into a copy of the source, one at a time, and
// runs the test suites that must notice, on the real servers that PIN_KAFKA_BROKERS, PIN_REGISTRY_URL and PIN_DATABASE_URL name (`npm run stack` starts some).
// `npm run suite:mutants [part of a name]`; exit code 1 when one survives or does not build.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FAST_BUGS } from './mutants/fast-bugs.mjs';
import { RELAY_BUGS } from './mutants/relay-bugs.mjs';
import { judgeAll, openSeededCopy } from './mutants/seeded-copy.mjs';
import { SQL_BUGS } from './mutants/sql-bugs.mjs';

const LIMIT_MS = 600_000;
const wanted = process.argv[2] ?? '';
const bugs = [...FAST_BUGS, ...SQL_BUGS, ...RELAY_BUGS].filter(({ name }) => name.includes(wanted));
const missing = ['PIN_KAFKA_BROKERS', 'PIN_REGISTRY_URL', 'PIN_DATABASE_URL'].filter(
  (name) => !process.env[name],
);
if (missing.length > 0 && bugs.some((bug) => !FAST_BUGS.includes(bug))) {
  process.stderr.write(`no servers: ${missing.join(', ')} not set; npm run stack starts some\n`);
  process.exit(78);
}
const copy = openSeededCopy({
  copied: ['test', 'scripts', 'vitest.config.ts'],
  linked: ['node_modules', 'package-lock.json', 'schemas', 'migrations', 'deploy', 'packages', 'docs'],
});
const report = join(copy.home, 'report.json');

/** The first test that failed; null when all passed. */
function firstFailure(suites) {
  rmSync(report, { force: true });
  const args = ['vitest', 'run', '--bail', '1', '--reporter', 'json', '--outputFile', report, ...suites];
  const options = { cwd: copy.home, encoding: 'utf8', timeout: LIMIT_MS, maxBuffer: 1 << 28 };
  const { stdout, stderr } = spawnSync('npx', args, options);
  if (!existsSync(report)) throw new Error(`the suites gave no report\n${stdout}\n${stderr}`);
  const files = JSON.parse(readFileSync(report, 'utf8')).testResults;
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find(({ status }) => status === 'failed')?.fullName;
  const broken = files.find(({ status, message }) => status === 'failed' && message)?.message;
  if (tests.length === 0 && broken === undefined) throw new Error(`no test ran\n${stdout}\n${stderr}`);
  return failed ?? broken ?? null;
}

function verdict({ suites }) {
  const failure = firstFailure(suites);
  return failure === null
    ? { isCaught: false, words: `survives ${suites.join(' ')}` }
    : { isCaught: true, words: failure.split('\n')[0] };
}

try {
  const suites = [...new Set(bugs.flatMap((bug) => bug.suites))];
  const failure = firstFailure(suites);
  if (failure !== null) throw new Error(`without a bug the suites fail already: ${failure}`);
  process.exitCode = judgeAll(copy, bugs, verdict);
} finally {
  copy.remove();
}
