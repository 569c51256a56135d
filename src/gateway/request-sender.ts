// Hands requests to the log and waits for its acknowledgement, within limits. A call is taken whole or not at all: when too much waits
// for the log already, nothing of it is produced. It never retries (the producer does) and never says "taken" before the log has it.
import type { LogProducer, OutgoingRecord } from '../broker/log.ts';
import type { Clock } from '../runtime/clock.ts';
import { isFault } from '../runtime/fault.ts';
import { type Timers, within } from '../runtime/timers.ts';

export interface SenderLimits {
  /** Records that may wait for the log at once; below the producer's own limit, so that this one answers first. */
  readonly maxWaitingRecords: number;
  readonly maxWaitingBytes: number;
  /** How long a caller waits for the acknowledgement. */
  readonly acknowledgeLimitMs: number;
}

export const SENDER_LIMITS: SenderLimits = {
  maxWaitingRecords: 5_000,
  maxWaitingBytes: 16 * 1_048_576,
  acknowledgeLimitMs: 10_000,
};

export type SenderAnswer =
  | { readonly kind: 'acknowledged' }
  /** Nothing was produced. */
  | { readonly kind: 'full' }
  /** Nobody knows yet: some may be in the log, and the others may still get there. */
  | { readonly kind: 'unanswered' };

export interface RequestSender {
  /** @throws Fault LOG_RECORD_REFUSED, LOG_CLOSED (not retriable) */
  send(records: readonly OutgoingRecord[]): Promise<SenderAnswer>;
  /** How long the oldest call has been waiting for the log; 0 when none waits. */
  oldestWaitMs(): number;
}

export function requestSender(
  deps: { readonly producer: LogProducer; readonly clock: Clock; readonly timers: Timers },
  limits: SenderLimits = SENDER_LIMITS,
): RequestSender {
  let waitingRecords = 0;
  let waitingBytes = 0;
  // In the order of their beginning: the first is the oldest.
  const since = new Set<{ readonly startedMs: number }>();
  return {
    async send(records) {
      const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
      const isFull =
        waitingRecords + records.length > limits.maxWaitingRecords ||
        waitingBytes + bytes > limits.maxWaitingBytes;
      if (isFull) return { kind: 'full' };
      const call = { startedMs: deps.clock.monotonicMs() };
      since.add(call);
      waitingRecords += records.length;
      waitingBytes += bytes;
      const sends = records.map((record) => deps.producer.send(record));
      void Promise.allSettled(sends).then(() => {
        since.delete(call);
        waitingRecords -= records.length;
        waitingBytes -= bytes;
      });
      return answerOf(deps.timers, limits.acknowledgeLimitMs, sends);
    },
    oldestWaitMs() {
      const [oldest] = since;
      return oldest === undefined ? 0 : deps.clock.monotonicMs() - oldest.startedMs;
    },
  };
}

async function answerOf(
  timers: Timers,
  limitMs: number,
  sends: readonly Promise<unknown>[],
): Promise<SenderAnswer> {
  try {
    await within(timers, limitMs, 'LOG_UNAVAILABLE', Promise.all(sends));
    return { kind: 'acknowledged' };
  } catch (error) {
    if (isFault(error) && error.retriable) return { kind: 'unanswered' };
    throw error;
  }
}
