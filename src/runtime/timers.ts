// Waiting as a port, so that tests and the simulator move time instead of spending it.
import { Fault } from './fault.ts';

export type Cancel = () => void;

export interface Timers {
  /** Runs `task` once, `delayMs` from now (0 = as soon as the current work is done). The timer does not keep the process alive. */
  after(delayMs: number, task: () => void): Cancel;
}

/** Longest delay that Node's timers take without wrapping to 1 ms. */
const MAX_DELAY_MS = 2_147_483_647;

export const systemTimers: Timers = {
  after(delayMs, task) {
    const timer = setTimeout(task, Math.min(Math.max(0, Math.ceil(delayMs)), MAX_DELAY_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or at once when `signal` aborts. Never rejects. */
export function pause(timers: Timers, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = timers.after(delayMs, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Runs `task` again every `periodMs` after it ended, until cancelled. A task that rejects is reported and run again. */
export function every(
  timers: Timers,
  periodMs: number,
  task: () => Promise<void>,
  onError: (error: unknown) => void,
): Cancel {
  let stopped = false;
  let cancel: Cancel = () => undefined;
  const arm = () => {
    if (stopped) return;
    cancel = timers.after(periodMs, () => void task().catch(onError).then(arm));
  };
  arm();
  return () => {
    stopped = true;
    cancel();
  };
}

/**
 * The value of `work`, unless it takes longer than `limitMs`.
 * @throws Fault `code` (retriable) at the limit; the work itself goes on unwatched.
 */
export async function within<T>(timers: Timers, limitMs: number, code: string, work: Promise<T>): Promise<T> {
  let cancel: Cancel = () => undefined;
  const limit = new Promise<never>((_, reject) => {
    cancel = timers.after(limitMs, () =>
      reject(new Fault(code, `no answer within ${limitMs} ms`, { retriable: true })),
    );
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    cancel();
  }
}
