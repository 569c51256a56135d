// Per-key order, bounded concurrency across keys. Work of one key runs one after another in the order it was handed in; work of
// different keys runs at the same time. It never runs more than `maxInFlight` pieces, and never drops one.

import type { Clock } from '../runtime/clock.ts';

export interface Lanes {
  hasRoom(): boolean;
  /** Queues `work` behind its key. The work must not reject. Takes a slot until it ended; the caller asked `hasRoom` before. */
  run(key: string, work: () => Promise<unknown>): void;
  inFlight(): number;
  /** Monotonic start of the oldest piece of work that runs; null when none does. */
  oldestStartMs(): number | null;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
}

type Work = () => Promise<unknown>;

export function lanes(
  clock: Pick<Clock, 'monotonicMs'>,
  maxInFlight: number,
  onRoom: () => void,
  onBug: (error: unknown) => void,
): Lanes {
  const waiting = new Map<string, Work[]>();
  /** By key, oldest first: a key whose next piece of work starts is put at the end. */
  const startedMs = new Map<string, number>();
  const idlers: (() => void)[] = [];
  let inFlight = 0;

  const ended = () => {
    inFlight -= 1;
    if (inFlight === 0) for (const resolve of idlers.splice(0)) resolve();
    onRoom();
  };
  const drain = async (key: string, queue: Work[]) => {
    for (let work = queue[0]; work !== undefined; work = queue[0]) {
      startedMs.set(key, clock.monotonicMs());
      await work().catch(onBug);
      startedMs.delete(key);
      queue.shift();
      if (queue.length === 0) waiting.delete(key);
      ended();
    }
  };
  return {
    hasRoom: () => inFlight < maxInFlight,
    run(key, work) {
      inFlight += 1;
      const queue = waiting.get(key);
      if (queue !== undefined) {
        queue.push(work);
        return;
      }
      const fresh = [work];
      waiting.set(key, fresh);
      void drain(key, fresh);
    },
    inFlight: () => inFlight,
    oldestStartMs: () => startedMs.values().next().value ?? null,
    idle: () => (inFlight === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  };
}
