// Puts seeded bugs into a copy of the source, one at a time, and runs the simulator on each until it notices: the tapes of the corpus, as CI
// does, and seed after seed. A bug that survives means that the simulator is blind there.
// `npm run sim:mutants [part of a name]`; exit code 1 when one survives or does not build.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SEEDED_BUGS } from './mutants/seeded-bugs.mjs';
import { judgeAll, openSeededCopy } from './mutants/seeded-copy.mjs';

const MAX_SCHEDULES = Number(process.env['SIM_MUTANT_SCHEDULES'] ?? 20_000);
const LIMIT_MS = 600_000;
const RUN_CORPUS = fileURLToPath(new URL('mutants/run-corpus.mjs', import.meta.url));
const CORPUS = fileURLToPath(new URL('../test/simulation/corpus', import.meta.url));

const wanted = process.argv[2] ?? '';
const bugs = SEEDED_BUGS.filter(({ name }) => name.includes(wanted));
const copy = openSeededCopy({ linked: ['node_modules', 'schemas', 'migrations'] });

/** The last line that `argv` printed, where it is JSON. */
function lastJson(argv) {
  // A bug may loop without ever giving a signal its turn.
  const limits = { timeout: LIMIT_MS, killSignal: 'SIGKILL', maxBuffer: 1 << 28 };
  const options = { cwd: copy.home, encoding: 'utf8', ...limits };
  const line = spawnSync(process.execPath, argv, options).stdout.trim().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? JSON.parse(line) : null;
}

const wordsOf = ({ invariant, detail }) => `${invariant} (${detail})`;

function verdict() {
  const kept = lastJson([RUN_CORPUS, copy.home, CORPUS]);
  if (kept !== null) return { isCaught: true, words: `tape ${kept.tape}: ${wordsOf(kept.violation)}` };
  const program = join(copy.home, 'dist/app/main.js');
  const result = lastJson([program, 'sim', '--schedules', String(MAX_SCHEDULES), '--json']);
  if (result === null) return { isCaught: false, words: 'the simulator gave no answer' };
  if (result.failure === null) return { isCaught: false, words: `survives ${result.schedules} schedules` };
  const { seed: caughtBy, violation } = result.failure;
  return { isCaught: true, words: `schedule ${caughtBy}: ${wordsOf(violation)}` };
}

try {
  process.exitCode = judgeAll(copy, bugs, verdict);
} finally {
  copy.remove();
}
