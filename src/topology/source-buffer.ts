// The records of one source partition between fetch and lane: kept in order, bounded, each taken when its time has come.
// `requested` is ready at once; a tier's record is ready when the tier's delay has passed since it was produced.
import type { LogRecord } from '../broker/log.ts';
import { type Watermark, watermark } from './watermark.ts';

/** Taken records are forgotten in pieces of this size. */
const COMPACT_AT = 256;

export interface SourceBuffer {
  readonly topic: string;
  readonly partition: number;
  readonly delayMs: number;
  readonly watermark: Watermark;
  /** How many from the front were taken in; records seen before count as taken in. */
  offer(records: readonly LogRecord[]): number;
  /** Epoch ms at which the first record may be taken; null when empty. */
  headReadyAtMs(): number | null;
  take(): LogRecord | null;
  buffered(): number;
  isFull(): boolean;
}

export function sourceBuffer(
  at: { readonly topic: string; readonly partition: number },
  delayMs: number,
  maxRecords: number,
): SourceBuffer {
  const marks = watermark();
  let queue: LogRecord[] = [];
  let head = 0;
  let nextOffset = -1;
  return {
    ...at,
    delayMs,
    watermark: marks,
    offer(records) {
      let taken = 0;
      for (const record of records) {
        if (record.offset >= nextOffset) {
          if (queue.length - head >= maxRecords) break;
          queue.push(record);
          marks.taken(record.offset);
          nextOffset = record.offset + 1;
        }
        taken += 1;
      }
      return taken;
    },
    headReadyAtMs() {
      const first = queue[head];
      return first === undefined ? null : delayMs === 0 ? 0 : first.timestampMs + delayMs;
    },
    take() {
      const first = queue[head];
      if (first === undefined) return null;
      head += 1;
      if (head === queue.length || head >= COMPACT_AT) {
        queue = queue.slice(head);
        head = 0;
      }
      return first;
    },
    buffered: () => queue.length - head,
    isFull: () => queue.length - head >= maxRecords,
  };
}
