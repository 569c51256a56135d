// How the set-up talks and runs commands: one line a step with the seconds it took, a heartbeat for long ones.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const HEARTBEAT_MS = 10_000;
const KEPT_OUTPUT_CHARS = 20_000;

/** Talk goes to standard error: standard output belongs to what is run. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Runs `work` under a name, and says how long it took. Work that talks itself needs no heartbeat. */
export async function step(name, work, { talks = false } = {}) {
  const startedMs = performance.now();
  const seconds = () => ((performance.now() - startedMs) / 1000).toFixed(1);
  const heartbeat = setInterval(() => talks || say(`  … ${name}, ${seconds()} s`), HEARTBEAT_MS);
  try {
    const result = await work();
    say(`${name}: done in ${seconds()} s`);
    return result;
  } finally {
    clearInterval(heartbeat);
  }
}

/** Runs to the end; what it printed appears only when it fails. Resolves with its standard output. */
export function runQuietly(program, args, { talks = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', talks ? 'inherit' : 'pipe'] });
    let output = '';
    let printed = '';
    const keep = (chunk) => {
      printed = (printed + chunk).slice(-KEPT_OUTPUT_CHARS);
    };
    child.stdout.on('data', (chunk) => {
      output += chunk;
      keep(chunk);
    });
    child.stderr?.on('data', keep);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(output);
      reject(
        Object.assign(new Error(`${[program, ...args].join(' ')} ended with ${code ?? signal}\n${printed}`), {
          output,
        }),
      );
    });
  });
}

/** Hands the terminal over; resolves with the exit code, 128 + n for a signal. */
export function runInForeground(program, args, environment = process.env) {
  const child = spawn(program, args, { cwd: root, stdio: 'inherit', env: environment });
  const pass = (signal) => {
    // From a terminal Ctrl-C reaches the whole group, the child included: a second one would mean "at once".
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}
