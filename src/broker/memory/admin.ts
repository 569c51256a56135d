// Topics and lags of the in-memory log.
import type { LogAdmin, PartitionLag, TopicDescription } from '../log.ts';
import type { MemoryGroup } from './group.ts';
import { type MemoryTopics, unknownTopic } from './topics.ts';

export function memoryAdmin(topics: MemoryTopics, groupOf: (groupId: string) => MemoryGroup): LogAdmin {
  const describe = (topic: string): TopicDescription | null => {
    const spec = topics.spec(topic);
    return spec && { ...spec, minInSyncReplicas: Number(spec.config['min.insync.replicas'] ?? 1) };
  };
  const lag = (groupId: string, topic: string): PartitionLag[] => {
    const spec = topics.spec(topic);
    if (spec === null) throw unknownTopic(topic);
    return Array.from({ length: spec.partitions }, (_, partition) => {
      const at = { topic, partition };
      return { ...at, committed: groupOf(groupId).committed(at), ...topics.range(at) };
    });
  };
  const offsetsAt = (topic: string, atMs: number): Map<number, number> => {
    const spec = topics.spec(topic);
    if (spec === null) throw unknownTopic(topic);
    const offsets = Array.from({ length: spec.partitions }, (_, partition) => {
      const at = { topic, partition };
      const { start, end } = topics.range(at);
      const records = topics.read(at, start, { maxRecords: end - start, maxBytes: Number.POSITIVE_INFINITY });
      return [partition, records.find(({ timestampMs }) => timestampMs >= atMs)?.offset ?? end] as const;
    });
    return new Map(offsets);
  };
  const soon = <T>(work: () => T): Promise<T> => Promise.resolve().then(work);
  return {
    describe: (names) => soon(() => new Map(names.map((topic) => [topic, describe(topic)]))),
    create: (specs) => soon(() => specs.forEach(topics.create)),
    alter: (topic, config) => soon(() => topics.alter(topic, config)),
    lag: (groupId, names) => soon(() => names.flatMap((topic) => lag(groupId, topic))),
    offsetsAt: (topic, atMs) => soon(() => offsetsAt(topic, atMs)),
    close: () => Promise.resolve(),
  };
}
