// What one member of the in-memory log reads: positions, pauses, and offering records step by step through the timers. Offers nothing
// while it rests; never steps back by itself.
import { invariant } from '../../runtime/fault.ts';
import type { Cancel, Timers } from '../../runtime/timers.ts';
import type { ConsumerHandlers, PartitionOffset, TopicPartition } from '../log.ts';
import { keyOf } from '../partition-key.ts';
import type { MemoryTopics } from './topics.ts';

export interface Reading {
  /** Reads these partitions from these offsets on, nothing paused. */
  begin(starts: readonly PartitionOffset[]): void;
  /** Forgets positions and pauses, and rests until `begin`. */
  rest(): void;
  reads(): boolean;
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /** Something may have come. */
  wake(): void;
}

const MAX_RECORDS_PER_DELIVERY = 500;
/** When a reader took less than it was offered without pausing, it is asked again after this. */
const REOFFER_MS = 50;

export function memoryReading(
  timers: Timers,
  topics: MemoryTopics,
  handlers: Pick<ConsumerHandlers, 'onRecords' | 'onOffsetReset'>,
  maxBytes: number,
): Reading {
  const limit = { maxRecords: MAX_RECORDS_PER_DELIVERY, maxBytes };
  const positions = new Map<string, PartitionOffset>();
  const paused = new Set<string>();
  let reads = false;
  let waking: { readonly delayMs: number; readonly cancel: Cancel } | null = null;

  const wake = (delayMs = 0) => {
    if (waking !== null && waking.delayMs <= delayMs) return;
    waking?.cancel();
    waking = { delayMs, cancel: timers.after(delayMs, offerAll) };
  };
  const offerAll = () => {
    waking = null;
    for (const [key, at] of positions) {
      if (!reads) return;
      if (!paused.has(key)) offer(at);
    }
  };
  /** Offers what comes next of one partition, and again later when there is or may be more. */
  const offer = ({ topic, partition, offset }: PartitionOffset) => {
    const at = { topic, partition };
    const { start } = topics.range(at);
    if (offset < start) {
      positions.set(keyOf(at), { ...at, offset: start });
      handlers.onOffsetReset(at, offset, start);
      return wake();
    }
    const records = topics.read(at, offset, limit);
    if (records.length === 0) return;
    const taken = handlers.onRecords(at, records);
    invariant(Number.isInteger(taken) && taken >= 0 && taken <= records.length, `onRecords took ${taken}`);
    if (reads) positions.set(keyOf(at), { ...at, offset: offset + taken });
    if (!paused.has(keyOf(at))) wake(taken === records.length ? 0 : REOFFER_MS);
  };

  return {
    begin(starts) {
      for (const start of starts) positions.set(keyOf(start), start);
      reads = true;
      wake();
    },
    rest() {
      reads = false;
      positions.clear();
      paused.clear();
    },
    reads: () => reads,
    pause(partitions) {
      for (const at of partitions) paused.add(keyOf(at));
    },
    resume(partitions) {
      for (const at of partitions) paused.delete(keyOf(at));
      wake();
    },
    wake: () => wake(),
  };
}
