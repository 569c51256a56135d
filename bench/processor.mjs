// `pin run processor` as users run it: a process of its own that knows nothing but its environment. Its log goes to a file, as fast
// as a log can go.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { peakMemoryMib } from './cpu.mjs';

const MAIN = fileURLToPath(new URL('../dist/app/main.js', import.meta.url));
const STOP_LIMIT_MS = 60_000;
/** As the README and the image start it; every contender's process gets them. */
export const NODE_FLAGS = ['--max-semi-space-size=64'];

/** `profileFolder`: where the CPU profile goes when it ends; null for none. */
export function startProcessor(variables, profileFolder) {
  return startPin(['run', 'processor'], variables, profileFolder);
}

/** As `startProcessor`, for another command that runs until it is asked to stop. */
export function startPin(args, variables, profileFolder) {
  const folder = mkdtempSync(join(tmpdir(), 'pin-bench-'));
  const logFile = join(folder, 'processor.log');
  const output = openSync(logFile, 'w');
  const profiling = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const child = spawn(process.execPath, [...NODE_FLAGS, ...profiling, MAIN, ...args], {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  const hasEnded = () => (child.exitCode ?? child.signalCode) !== null;
  process.once('exit', kill);
  return {
    pid: child.pid,
    hasEnded,
    lastLines: () => readFileSync(logFile, 'utf8').split('\n').slice(-8).join('\n'),
    /** Null when it is gone. */
    memoryMib: () => (hasEnded() ? null : peakMemoryMib(child.pid)),
    /** Its log goes with it. */
    async stop() {
      child.kill('SIGTERM');
      const limit = setTimeout(kill, STOP_LIMIT_MS);
      await ended;
      clearTimeout(limit);
      process.off('exit', kill);
      rmSync(folder, { recursive: true });
    },
  };
}
