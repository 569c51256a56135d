// The records of one source partition between fetch and lane: kept in order, bounded, each taken when its time has come.
// `requested` is ready at once; a tier's record is ready when the tier's delay has passed since it was produced. A producer's clock may
// be wrong: a record that is here was written before now, so no time stamp of the future holds the partition.
import type { LogRecord } from '../broker/log.ts';
import { type Watermark, watermark } from './watermark.ts';

/** Taken records are forgotten in pieces of this size. */
const COMPACT_AT = 256;

export interface SourceBuffer {
  readonly topic: string;
  readonly partition: number;
  readonly delayMs: number;
  /** Of the records that the log holds now; another one after each rewind. */
  watermark(): Watermark;
  /** How many from the front were taken in; records seen before count as taken in. */
  offer(records: readonly LogRecord[], nowMs: number): number;
  /** The log goes on at `offset`, below what was seen: what is buffered is forgotten and comes again, if it is still there. */
  rewind(offset: number): void;
  /** Epoch ms at which the first record may be taken; null when empty. */
  headReadyAtMs(): number | null;
  take(): LogRecord | null;
  buffered(): number;
  isFull(): boolean;
}

interface Buffered {
  readonly record: LogRecord;
  readonly readyAtMs: number;
}

export function sourceBuffer(
  at: { readonly topic: string; readonly partition: number },
  delayMs: number,
  maxRecords: number,
): SourceBuffer {
  let marks = watermark();
  let queue: Buffered[] = [];
  let head = 0;
  let nextOffset = -1;
  const readyAtMs = ({ timestampMs }: LogRecord, nowMs: number) =>
    delayMs === 0 ? 0 : Math.min(timestampMs, nowMs) + delayMs;
  return {
    topic: at.topic,
    partition: at.partition,
    delayMs,
    watermark: () => marks,
    offer(records, nowMs) {
      const unseen = records.findIndex(({ offset }) => offset >= nextOffset);
      if (unseen === -1) return records.length;
      const fitting = records.slice(unseen, unseen + maxRecords - (queue.length - head));
      for (const record of fitting) {
        queue.push({ record, readyAtMs: readyAtMs(record, nowMs) });
        marks.taken(record.offset);
        nextOffset = record.offset + 1;
      }
      return unseen + fitting.length;
    },
    rewind(offset) {
      if (offset >= nextOffset) return;
      queue = [];
      head = 0;
      marks = watermark();
      nextOffset = offset;
    },
    headReadyAtMs: () => queue[head]?.readyAtMs ?? null,
    take() {
      const first = queue[head];
      if (first === undefined) return null;
      head += 1;
      if (head === queue.length || head >= COMPACT_AT) {
        queue = queue.slice(head);
        head = 0;
      }
      return first.record;
    },
    buffered: () => queue.length - head,
    isFull: () => queue.length - head >= maxRecords,
  };
}
