// The log in memory, for tests, the simulator and the embedded demo: same promises as the port, nothing survives the process.
// Everything happens through the given timers, so that a virtual clock drives it step by step and the same steps give the same result.
import type { Clock } from '../../runtime/clock.ts';
import { invariant } from '../../runtime/fault.ts';
import type { Timers } from '../../runtime/timers.ts';
import type {
  Log,
  LogRecord,
  LogTail,
  OutgoingRecord,
  PartitionOffset,
  TopicPartition,
  TopicSpec,
} from '../log.ts';
import { memoryAdmin } from './admin.ts';
import { type MemoryConsumer, memoryConsumer } from './consumer.ts';
import { type MemoryGroup, memoryGroup } from './group.ts';
import { memoryProducer, type SendFate } from './producer.ts';
import { memoryTail } from './tail.ts';
import { memoryTopics } from './topics.ts';

export interface MemoryLogDeps {
  readonly clock: Clock;
  readonly timers: Timers;
}

export interface MemoryLog extends Log {
  /** All records of a topic, by partition, then offset. */
  records(topic: string): readonly LogRecord[];
  /** All commits of a group. */
  committed(groupId: string): readonly PartitionOffset[];
  /** Ends the sessions of a process's consumers as if its heartbeats had stopped: it notices a heartbeat interval later. */
  expel(processId: string): void;
  /** Forgets records below `offset`, as retention does. */
  trim(at: TopicPartition, offset: number): void;
  /** Decides the fate of every later send; the default lets all succeed. */
  beforeSend(fate: (record: OutgoingRecord) => SendFate): void;
}

export function memoryLog({ clock, timers }: MemoryLogDeps, initial: readonly TopicSpec[] = []): MemoryLog {
  const topics = memoryTopics(initial);
  const groups = new Map<string, MemoryGroup>();
  const consumers = new Map<string, MemoryConsumer>();
  let fateOf: (record: OutgoingRecord) => SendFate = () => 'ok';

  const groupOf = (groupId: string): MemoryGroup => {
    const found = groups.get(groupId) ?? memoryGroup(timers);
    groups.set(groupId, found);
    return found;
  };
  const soon = <T>(work: () => T): Promise<T> => Promise.resolve().then(work);

  return {
    producer: () =>
      soon(() => memoryProducer({ clock, timers, topics, beforeSend: (record) => fateOf(record) })),
    consumer: (options, handlers) =>
      soon(() => {
        const memberId = `member-${consumers.size + 1}`;
        const group = groupOf(options.groupId);
        const consumer = memoryConsumer({ timers, topics, group, memberId, options, handlers });
        consumers.set(memberId, consumer);
        return consumer;
      }),
    admin: () => soon(() => memoryAdmin(topics, groupOf)),
    ping: () => Promise.resolve(),
    tail: (names, from, onRecord): Promise<LogTail> =>
      soon(() => memoryTail({ timers, topics }, names, from, onRecord)),
    records(topic) {
      const spec = topics.spec(topic);
      invariant(spec !== null, `topic ${topic} does not exist`);
      const all = { maxRecords: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };
      return Array.from({ length: spec.partitions }, (_, partition) =>
        topics.read({ topic, partition }, 0, all),
      ).flat();
    },
    committed: (groupId) => groupOf(groupId).commits(),
    expel(processId) {
      for (const group of groups.values())
        for (const memberId of group.expel(processId)) consumers.get(memberId)?.expelled();
    },
    trim: topics.trim,
    beforeSend(fate) {
      fateOf = fate;
    },
  };
}
