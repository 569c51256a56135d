// The stored records of the in-memory log: append, read, trim. Pure bookkeeping without time; listeners hear of each append at once.
import { Fault } from '../../runtime/fault.ts';
import type { LogRecord, OutgoingRecord, TopicPartition, TopicSpec } from '../log.ts';
import { partitionFor } from '../partitioner.ts';

export interface MemoryTopics {
  spec(topic: string): TopicSpec | null;
  create(spec: TopicSpec): void;
  alter(topic: string, config: Readonly<Record<string, string>>): void;
  /** Where the record goes. @throws Fault LOG_RECORD_REFUSED */
  destination(record: OutgoingRecord): TopicPartition;
  append(at: TopicPartition, record: OutgoingRecord, timestampMs: number): LogRecord;
  /** Records from `offset`, at least one when there is one, within both limits. */
  read(at: TopicPartition, offset: number, limit: ReadLimit): readonly LogRecord[];
  range(at: TopicPartition): { readonly start: number; readonly end: number };
  /** Forgets records below `offset`, as retention does. */
  trim(at: TopicPartition, offset: number): void;
  /** Returns what ends the listening. */
  onAppend(listener: () => void): () => void;
}

export interface ReadLimit {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

interface Partition {
  start: number;
  records: LogRecord[];
}

/** As Kafka's own default of `max.message.bytes`. */
const MAX_RECORD_BYTES = 1_048_588;

export function memoryTopics(initial: readonly TopicSpec[]): MemoryTopics {
  const specs = new Map<string, TopicSpec>();
  const partitions = new Map<string, Partition[]>();
  const listeners = new Set<() => void>();
  let keyless = 0;

  const partitionAt = ({ topic, partition }: TopicPartition): Partition => {
    const found = partitions.get(topic)?.[partition];
    if (found === undefined) throw refused(`there is no partition ${partition} of topic ${topic}`);
    return found;
  };
  const create = (spec: TopicSpec) => {
    if (specs.has(spec.topic)) return;
    specs.set(spec.topic, spec);
    partitions.set(
      spec.topic,
      Array.from({ length: spec.partitions }, () => ({ start: 0, records: [] })),
    );
  };
  for (const spec of initial) create(spec);

  return {
    create,
    spec: (topic) => specs.get(topic) ?? null,
    alter(topic, config) {
      const spec = specs.get(topic);
      if (spec === undefined) throw unknownTopic(topic);
      specs.set(topic, { ...spec, config: { ...spec.config, ...config } });
    },
    destination(record) {
      const spec = specs.get(record.topic);
      if (spec === undefined) throw refused(`topic ${record.topic} does not exist`);
      const limit = Number(spec.config['max.message.bytes'] ?? MAX_RECORD_BYTES);
      if (bytesOf(record) > limit)
        throw refused(`the record is larger than the ${limit} bytes that ${spec.topic} takes`);
      if (record.key === null && record.partition === null) keyless += 1;
      const byKey =
        record.key === null ? keyless % spec.partitions : partitionFor(record.key, spec.partitions);
      const at = { topic: record.topic, partition: record.partition ?? byKey };
      partitionAt(at);
      return at;
    },
    append(at, { key, value, headers }, timestampMs) {
      const { start, records } = partitionAt(at);
      const record = { ...at, offset: start + records.length, timestampMs, key, value, headers };
      records.push(record);
      for (const listener of listeners) listener();
      return record;
    },
    read(at, offset, { maxRecords, maxBytes }) {
      const { start, records } = partitionAt(at);
      const from = Math.max(0, offset - start);
      let bytes = 0;
      let end = from;
      for (let next = records[end]; next !== undefined && end - from < maxRecords; next = records[end]) {
        bytes += bytesOf(next);
        if (end > from && bytes > maxBytes) break;
        end += 1;
      }
      return records.slice(from, end);
    },
    range(at) {
      const { start, records } = partitionAt(at);
      return { start, end: start + records.length };
    },
    trim(at, offset) {
      const partition = partitionAt(at);
      const dropped = Math.min(Math.max(0, offset - partition.start), partition.records.length);
      partition.records = partition.records.slice(dropped);
      partition.start += dropped;
    },
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

function bytesOf({ key, value, headers }: Pick<OutgoingRecord, 'key' | 'value' | 'headers'>): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, header] of Object.entries(headers)) bytes += name.length + header.length;
  return bytes;
}
