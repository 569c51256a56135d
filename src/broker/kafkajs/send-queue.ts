// Records that wait to be sent, in order, within limits. `take` cuts the next batch: small enough for the broker's default limit of
// 1 MiB a partition, and a large record goes alone, so that a refusal of it touches no neighbour. Pure bookkeeping; sends nothing.
import type { Message } from 'kafkajs';
import { Fault } from '../../runtime/fault.ts';
import type { Acknowledged } from '../log.ts';

export interface Waiting {
  readonly topic: string;
  readonly message: Message & { readonly partition: number };
  readonly bytes: number;
  acknowledge(where: Acknowledged): void;
  refuse(error: Fault): void;
}

export const MAX_WAITING_RECORDS = 10_000;
export const MAX_WAITING_BYTES = 32 * 1024 * 1024;
export const MAX_BATCH_RECORDS = 1_000;
export const MAX_BATCH_BYTES = 512 * 1024;
/** A record above this is sent alone. */
export const SOLO_RECORD_BYTES = 256 * 1024;

export interface SendQueue {
  /** Reserves room until `release`. @throws Fault LOG_BACKLOG_FULL (retriable) */
  reserve(bytes: number): void;
  release(bytes: number): void;
  push(waiting: Waiting): void;
  /** The next batch, empty when nothing waits. */
  take(): Waiting[];
  /** Everything that waits, which then waits no more. */
  drain(): Waiting[];
}

export function sendQueue(): SendQueue {
  let queue: Waiting[] = [];
  let head = 0;
  let reservedRecords = 0;
  let reservedBytes = 0;

  const batchEnd = (): number => {
    let end = head;
    let bytes = 0;
    for (let next = queue[end]; next !== undefined && end - head < MAX_BATCH_RECORDS; next = queue[end]) {
      const alone = next.bytes > SOLO_RECORD_BYTES;
      if (end > head && (alone || bytes + next.bytes > MAX_BATCH_BYTES)) break;
      bytes += next.bytes;
      end += 1;
      if (alone) break;
    }
    return end;
  };

  const cut = (end: number): Waiting[] => {
    const batch = queue.slice(head, end);
    head = end;
    if (head === queue.length) {
      queue = [];
      head = 0;
    }
    return batch;
  };

  return {
    reserve(bytes) {
      if (reservedRecords >= MAX_WAITING_RECORDS || reservedBytes + bytes > MAX_WAITING_BYTES) {
        const message = `${reservedRecords} records (${reservedBytes} bytes) already wait to be sent`;
        throw new Fault('LOG_BACKLOG_FULL', message, { retriable: true });
      }
      reservedRecords += 1;
      reservedBytes += bytes;
    },
    release(bytes) {
      reservedRecords -= 1;
      reservedBytes -= bytes;
    },
    push: (waiting) => void queue.push(waiting),
    take: () => cut(batchEnd()),
    drain: () => cut(queue.length),
  };
}
