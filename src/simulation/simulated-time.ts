// The only time of a simulation, and its scheduler: one event after another, each followed by everything that its promises make runnable.
// Nothing waits for real time and nothing depends on it, so the same events give the same run.
import type { Clock } from '../runtime/clock.ts';
import { InvariantBroken, invariant } from '../runtime/fault.ts';
import { afterMicrotasks } from '../runtime/microtasks.ts';
import type { Cancel } from '../runtime/timers.ts';
import { eventQueue } from './event-queue.ts';

export interface SimulatedTime {
  /** The servers' clock; the processes' clocks are off by their skew. */
  readonly clock: Clock;
  nowMs(): number;
  /** Runs `task` once, `delayMs` from now. */
  after(delayMs: number, task: () => void): Cancel;
  /** Something that the outside will do: counted while it is ahead. */
  plan(delayMs: number, task: () => void): void;
  planned(): number;
  /** Runs until `isOver` says so (asked about each second), nothing is left to do, or the time is `limitMs`. */
  run(limitMs: number, isOver: () => boolean): Promise<void>;
}

export const START_MS = 1_800_000_000_000;

/** More than this in one run is a loop that never rests. */
const MAX_EVENTS = 2_000_000;
const LOOK_PERIOD_MS = 1_000;

export function simulatedTime(): SimulatedTime {
  const queue = eventQueue();
  let nowMs = START_MS;
  let events = 0;
  let planned = 0;
  const nextTask = (limitMs: number): (() => void) | null => {
    const event = queue.take();
    if (event === null || event.task === null) return null;
    if (event.atMs > limitMs) {
      queue.add(event.atMs, event.task);
      return null;
    }
    nowMs = event.atMs;
    return event.task;
  };
  return {
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs - START_MS },
    nowMs: () => nowMs,
    after(delayMs, task) {
      const event = queue.add(nowMs + Math.max(0, Math.ceil(delayMs)), task);
      return () => {
        event.task = null;
      };
    },
    plan(delayMs, task) {
      planned += 1;
      queue.add(nowMs + Math.max(0, Math.ceil(delayMs)), () => {
        planned -= 1;
        task();
      });
    },
    planned: () => planned,
    run: (limitMs, isOver) =>
      new Promise((resolve, reject) => {
        let lookAtMs = nowMs + LOOK_PERIOD_MS;
        /** False when there is nothing more to do within the limit. */
        const goOn = (): boolean => {
          if (nowMs >= lookAtMs) {
            lookAtMs = nowMs + LOOK_PERIOD_MS;
            if (isOver()) return false;
          }
          const task = nextTask(limitMs);
          events += 1;
          invariant(events <= MAX_EVENTS, 'the simulation never rests');
          task?.();
          return task !== null;
        };
        const step = () => {
          try {
            if (goOn()) afterMicrotasks(step);
            else resolve();
          } catch (error) {
            reject(error instanceof Error ? error : new InvariantBroken(String(error)));
          }
        };
        afterMicrotasks(step);
      }),
  };
}
