// Ends processes by number, for certain and without an event loop: it also runs while this process is exiting.
// Never signals a number whose process is not the one that was recorded.
import { isAlive, type ProcessIdentity } from './process-identity.ts';

/** How a server is told to go at once: Postgres frees its shared memory on SIGQUIT, the others have nothing to free. */
export type Ending = 'SIGKILL' | 'SIGQUIT';

export interface OwnedProcess extends ProcessIdentity {
  readonly name: string;
  readonly ending: Ending;
}

const GENTLE_LIMIT_MS = 3_000;
const KILLED_LIMIT_MS = 2_000;
const POLL_MS = 10;

/** Returns how many of them were still running. Blocks for at most five seconds. */
export function endProcesses(processes: readonly OwnedProcess[]): number {
  const running = processes.filter(isAlive);
  for (const one of running) signal(one, one.ending);
  const stubborn = waitForEnd(running, GENTLE_LIMIT_MS);
  for (const one of stubborn) signal(one, 'SIGKILL');
  waitForEnd(stubborn, KILLED_LIMIT_MS);
  return running.length;
}

function signal(one: OwnedProcess, name: NodeJS.Signals): void {
  try {
    // Every child leads a group of its own, so what it started in turn goes with it.
    process.kill(name === 'SIGKILL' ? -one.pid : one.pid, name);
  } catch {
    // Gone in the meantime, or another user's: either way not ours to end.
  }
}

function waitForEnd(processes: readonly OwnedProcess[], limitMs: number): OwnedProcess[] {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const deadlineMs = performance.now() + limitMs;
  let remaining = processes.filter(isAlive);
  while (remaining.length > 0 && performance.now() < deadlineMs) {
    Atomics.wait(pause, 0, 0, POLL_MS);
    remaining = remaining.filter(isAlive);
  }
  return remaining;
}
