// The stored records of the in-memory log: append, read, trim. Pure bookkeeping without time; listeners hear of each append at once.
import { Fault } from '../../runtime/fault.ts';
import type { LogRecord, OutgoingRecord, TopicPartition, TopicSpec } from '../log.ts';
import { partitionFor } from '../partitioner.ts';
import { bytesOf, type MemoryPartition, memoryPartition, type ReadLimit } from './partition.ts';

export interface MemoryTopics {
  spec(topic: string): TopicSpec | null;
  create(spec: TopicSpec): void;
  alter(topic: string, config: Readonly<Record<string, string>>): void;
  /** Where the record goes. @throws Fault LOG_RECORD_REFUSED */
  destination(record: OutgoingRecord): TopicPartition;
  append(at: TopicPartition, record: OutgoingRecord, timestampMs: number): void;
  read(at: TopicPartition, offset: number, limit: ReadLimit): readonly LogRecord[];
  range(at: TopicPartition): { readonly start: number; readonly end: number };
  /** Forgets records below `offset`, as retention does. */
  trim(at: TopicPartition, offset: number): void;
  /** Returns what ends the listening. */
  onAppend(listener: () => void): () => void;
}

/** As Kafka's own default of `max.message.bytes`. */
const MAX_RECORD_BYTES = 1_048_588;

export function memoryTopics(initial: readonly TopicSpec[]): MemoryTopics {
  const topics = new Map<string, { spec: TopicSpec; readonly partitions: readonly MemoryPartition[] }>();
  const listeners = new Set<() => void>();
  let keyless = 0;

  const partitionAt = ({ topic, partition }: TopicPartition): MemoryPartition => {
    const found = topics.get(topic)?.partitions[partition];
    if (found === undefined) throw refused(`there is no partition ${partition} of topic ${topic}`);
    return found;
  };
  const create = (spec: TopicSpec) => {
    if (topics.has(spec.topic)) return;
    const partitions = Array.from({ length: spec.partitions }, () => memoryPartition());
    topics.set(spec.topic, { spec, partitions });
  };
  for (const spec of initial) create(spec);

  return {
    create,
    spec: (topic) => topics.get(topic)?.spec ?? null,
    alter(topic, config) {
      const found = topics.get(topic);
      if (found === undefined) throw unknownTopic(topic);
      found.spec = { ...found.spec, config: { ...found.spec.config, ...config } };
    },
    destination(record) {
      const { topic, key } = record;
      const spec = topics.get(topic)?.spec;
      if (spec === undefined) throw refused(`topic ${topic} does not exist`);
      const limit = Number(spec.config['max.message.bytes'] ?? MAX_RECORD_BYTES);
      if (bytesOf(record) > limit)
        throw refused(`the record is larger than the ${limit} bytes that ${topic} takes`);
      if (key === null) keyless += 1;
      const byKey = key === null ? keyless % spec.partitions : partitionFor(key, spec.partitions);
      const at = { topic, partition: record.partition ?? byKey };
      partitionAt(at);
      return at;
    },
    append(at, { key, value, headers }, timestampMs) {
      partitionAt(at).append({ ...at, timestampMs, key, value, headers });
      for (const listener of listeners) listener();
    },
    read: (at, offset, limit) => partitionAt(at).read(offset, limit),
    range: (at) => partitionAt(at).range(),
    trim: (at, offset) => partitionAt(at).trim(offset),
    onAppend(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export function unknownTopic(topic: string): Fault {
  return new Fault('LOG_TOPIC_UNKNOWN', `topic ${topic} does not exist`, { retriable: false });
}

function refused(message: string): Fault {
  return new Fault('LOG_RECORD_REFUSED', message, { retriable: false });
}
