// A clock and timers that move only when told. Used by the test driver and by tests; nothing here waits for real time.
// Timers fire in order of their due time, then of their making; all promise work is done before time moves on.
import type { Clock } from './clock.ts';
import type { Timers } from './timers.ts';

export interface VirtualTime {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Moves time forward by `deltaMs`, firing what becomes due on the way. */
  advance(deltaMs: number): Promise<void>;
  /** Lets all work that needs no time finish, timers of 0 ms included. */
  settle(): Promise<void>;
  /** When the next timer is due, epoch ms; null when there is none. */
  nextDueMs(): number | null;
}

interface Entry {
  readonly dueMs: number;
  readonly order: number;
  readonly task: () => void;
}

/** More timers than this in one `advance` is a loop that never rests. */
const MAX_FIRINGS = 1_000_000;

export function virtualTime(startMs = 1_800_000_000_000): VirtualTime {
  let nowMs = startMs;
  let order = 0;
  const waiting = new Set<Entry>();
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const earliest = (): Entry | null => {
    let first: Entry | null = null;
    for (const entry of waiting) {
      if (
        first === null ||
        entry.dueMs < first.dueMs ||
        (entry.dueMs === first.dueMs && entry.order < first.order)
      )
        first = entry;
    }
    return first;
  };
  const runUntil = async (limitMs: number) => {
    for (let firing = 0; firing < MAX_FIRINGS; firing += 1) {
      await turn();
      const next = earliest();
      if (next === null || next.dueMs > limitMs) return;
      waiting.delete(next);
      nowMs = Math.max(nowMs, next.dueMs);
      next.task();
    }
    throw new RangeError(`more than ${MAX_FIRINGS} timers fired: something never rests`);
  };
  return {
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs - startMs },
    timers: {
      after(delayMs, task) {
        const entry = { dueMs: nowMs + Math.max(0, Math.ceil(delayMs)), order, task };
        order += 1;
        waiting.add(entry);
        return () => void waiting.delete(entry);
      },
    },
    async advance(deltaMs) {
      const limitMs = nowMs + deltaMs;
      await runUntil(limitMs);
      nowMs = limitMs;
      await runUntil(limitMs);
    },
    settle: () => runUntil(nowMs),
    nextDueMs: () => earliest()?.dueMs ?? null,
  };
}
