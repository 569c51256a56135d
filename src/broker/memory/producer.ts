// The producer of the in-memory log. Records are appended and acknowledged in the order of `send`, one step later than the call.
import type { Clock } from '../../runtime/clock.ts';
import { Fault } from '../../runtime/fault.ts';
import type { Timers } from '../../runtime/timers.ts';
import type { Acknowledged, LogProducer, OutgoingRecord } from '../log.ts';
import type { MemoryTopics } from './topics.ts';

/** ok = as always · lost-ack = stored, but the sender hears of a failure · fail = not stored. Failures are LOG_UNAVAILABLE. */
export type SendFate = 'ok' | 'lost-ack' | 'fail';

export interface MemoryProducerParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly topics: MemoryTopics;
  readonly beforeSend: (record: OutgoingRecord) => SendFate;
}

export function memoryProducer({ clock, timers, topics, beforeSend }: MemoryProducerParts): LogProducer {
  let waiting: (() => void)[] = [];
  let closed = false;

  const flush = () => {
    const due = waiting;
    waiting = [];
    for (const append of due) append();
  };
  const store = (record: OutgoingRecord): Acknowledged => {
    const fate = beforeSend(record);
    const at = topics.destination(record);
    if (fate !== 'fail') topics.append(at, record, clock.nowMs());
    if (fate !== 'ok')
      throw new Fault('LOG_UNAVAILABLE', `the send met its scripted fate: ${fate}`, { retriable: true });
    return at;
  };

  return {
    send(record) {
      if (closed)
        return Promise.reject(new Fault('LOG_CLOSED', 'the producer was closed', { retriable: false }));
      return new Promise((resolve, reject) => {
        if (waiting.length === 0) timers.after(0, flush);
        waiting.push(() => {
          try {
            resolve(store(record));
          } catch (error) {
            reject(
              error instanceof Error
                ? error
                : new Fault('LOG_UNAVAILABLE', String(error), { retriable: true }),
            );
          }
        });
      });
    },
    close() {
      closed = true;
      return new Promise((resolve) => void timers.after(0, resolve));
    },
  };
}
