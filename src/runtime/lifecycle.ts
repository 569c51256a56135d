// The life of a process: parts are started in order and stopped in the reverse order, once, within one limit. It promises that every
// part is asked to stop even when another one fails or hangs. It never ends the process: whoever made it does.

import type { Clock } from './clock.ts';
import { Fault, messageOf } from './fault.ts';
import type { Logger } from './logger.ts';
import { type Timers, within } from './timers.ts';

export interface Lifecycle {
  /** Aborts when the stop begins. */
  readonly stopping: AbortSignal;
  /** Resolves with the reason when the stop begins. */
  readonly stopRequested: Promise<StopReason>;
  /** `stop` is called once when the process stops, after the parts that were added later. */
  add(part: string, stop: () => Promise<void>): void;
  /** Begins the stop; later calls change nothing. */
  requestStop(reason: StopReason): void;
  /** Begins the stop if need be and resolves when all parts have ended or the limit has passed. Never rejects. */
  stop(reason: StopReason): Promise<StopAnswer>;
}

export type StopReason =
  | { readonly kind: 'asked'; readonly by: string }
  | { readonly kind: 'failed'; readonly error: unknown };

interface StopAnswer {
  readonly reason: StopReason;
  /** Parts that failed or did not end in time. */
  readonly unfinished: readonly string[];
}

interface Deps {
  readonly timers: Timers;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Part {
  readonly name: string;
  readonly stop: () => Promise<void>;
}

export function lifecycle(deps: Deps, stopLimitMs: number): Lifecycle {
  const parts: Part[] = [];
  const controller = new AbortController();
  let begin: (reason: StopReason) => void = () => undefined;
  const stopRequested = new Promise<StopReason>((resolve) => {
    begin = resolve;
  });
  let ending: Promise<StopAnswer> | null = null;
  const requestStop = (reason: StopReason) => {
    begin(reason);
    controller.abort();
  };
  return {
    stopping: controller.signal,
    stopRequested,
    add(name, stop) {
      if (ending !== null)
        throw new Fault('LIFECYCLE_STOPPING', `${name} came while stopping`, { retriable: false });
      parts.push({ name, stop });
    },
    requestStop,
    stop(reason) {
      requestStop(reason);
      ending ??= stopRequested.then((first) => stopAll(deps, parts, stopLimitMs, first));
      return ending;
    },
  };
}

async function stopAll(
  deps: Deps,
  parts: readonly Part[],
  limitMs: number,
  reason: StopReason,
): Promise<StopAnswer> {
  const startedMs = deps.clock.monotonicMs();
  const unfinished: string[] = [];
  for (const part of [...parts].reverse()) {
    const leftMs = Math.max(0, limitMs - (deps.clock.monotonicMs() - startedMs));
    try {
      await within(deps.timers, leftMs, 'LIFECYCLE_STOP_LIMIT', part.stop());
    } catch (error) {
      unfinished.push(part.name);
      deps.logger.error('process.part-not-stopped', { part: part.name, error: messageOf(error) });
    }
  }
  return { reason, unfinished };
}
