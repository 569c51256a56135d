// The bytes that the simulated broker keeps: every record of every topic, for ever, so that the invariants can read them.
import type { LogRecord, OutgoingRecord, TopicPartition } from '../../broker/log.ts';
import { partitionFor } from '../../broker/partitioner.ts';
import { Fault } from '../../runtime/fault.ts';
import type { SimulatedTime } from '../simulated-time.ts';

export interface Partitions {
  readonly partitions: number;
  /** @throws Fault LOG_RECORD_REFUSED */
  append(record: OutgoingRecord): TopicPartition;
  /** By offset. */
  records(topic: string, partition: number): readonly LogRecord[];
  /** Of all partitions, one after another. */
  all(topic: string): readonly LogRecord[];
  onAppend(listener: (at: TopicPartition) => void): void;
}

export function openPartitions(
  time: SimulatedTime,
  topics: readonly string[],
  partitions: number,
): Partitions {
  const stored = new Map<string, LogRecord[][]>(
    topics.map((topic) => [topic, Array.from({ length: partitions }, () => [])]),
  );
  const listeners: ((at: TopicPartition) => void)[] = [];
  const listOf = (topic: string, partition: number): LogRecord[] => {
    const list = stored.get(topic)?.[partition];
    if (list === undefined)
      throw new Fault('LOG_RECORD_REFUSED', `there is no ${topic}/${partition}`, { retriable: false });
    return list;
  };
  return {
    partitions,
    append({ topic, partition, key, value, headers }) {
      const own = partition ?? (key === null ? 0 : partitionFor(key, partitions));
      const list = listOf(topic, own);
      const at = {
        topic,
        partition: own,
        offset: list.length,
        timestampMs: time.nowMs(),
        key,
        value,
        headers,
      };
      list.push(at);
      for (const listener of listeners) listener(at);
      return at;
    },
    records: listOf,
    all: (topic) => (stored.get(topic) ?? []).flat(),
    onAppend: (listener) => void listeners.push(listener),
  };
}
