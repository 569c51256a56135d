// The coordinator of one group in memory: who is in it, which generation it is in, what it has committed. A change of members begins a
// rebalance as soon as the current work is done; it ends one step later with the co-partitioned assignment. Commits count only from
// members of the current generation; as on a real broker, what they own of it is for them to know.
import { Fault } from '../../runtime/fault.ts';
import type { Timers } from '../../runtime/timers.ts';
import { assignTasks } from '../co-partitioned-assigner.ts';
import type { PartitionOffset, TopicPartition } from '../log.ts';
import { keyOf } from '../partition-key.ts';
import { type MemoryTopics, unknownTopic } from './topics.ts';

export interface GroupSeat {
  readonly memberId: string;
  readonly processId: string;
  readonly topics: readonly string[];
  readonly partitions: number;
  /** Tasks of the last assignment that the member heard of. */
  owned(): readonly number[];
  onRevoking(): void;
  onAssigned(tasks: readonly number[], generation: number): void;
}

export interface MemoryGroup {
  /** @throws Fault LOG_MIXED_SUBSCRIPTIONS */
  join(seat: GroupSeat): void;
  leave(memberId: string): void;
  /** Takes out every member of the process without telling it. Their ids. */
  expel(processId: string): readonly string[];
  /** @throws Fault LOG_FENCED */
  commit(memberId: string, generation: number, offsets: readonly PartitionOffset[]): void;
  committed(at: TopicPartition): number | null;
  commits(): readonly PartitionOffset[];
}

export function memoryGroup(timers: Timers): MemoryGroup {
  const seats = new Map<string, GroupSeat>();
  const offsets = new Map<string, PartitionOffset>();
  let assigned = new Map<string, number[]>();
  let generation = 0;
  let rebalancing = false;

  const finish = () => {
    rebalancing = false;
    const [first] = seats.values();
    if (first === undefined) return;
    const members = [...seats.values()].map((seat) => ({ ...seat, owned: seat.owned() }));
    assigned = assignTasks({ members, partitions: first.partitions });
    generation += 1;
    for (const [memberId, tasks] of assigned) seats.get(memberId)?.onAssigned(tasks, generation);
  };
  const rebalance = () => {
    if (rebalancing) return;
    rebalancing = true;
    timers.after(0, () => {
      for (const seat of [...seats.values()]) seat.onRevoking();
      timers.after(0, finish);
    });
  };
  const remove = (memberId: string) => {
    assigned.delete(memberId);
    if (seats.delete(memberId)) rebalance();
  };

  return {
    join(seat) {
      const other = [...seats.values()].find(({ topics }) => topics.join() !== seat.topics.join());
      if (other !== undefined) {
        const message = `a member of the group reads [${other.topics.join(', ')}], this one [${seat.topics.join(', ')}]`;
        throw new Fault('LOG_MIXED_SUBSCRIPTIONS', message, { retriable: false });
      }
      seats.set(seat.memberId, seat);
      rebalance();
    },
    leave: remove,
    expel(processId) {
      const expelled = [...seats.values()].filter((seat) => seat.processId === processId);
      for (const { memberId } of expelled) remove(memberId);
      return expelled.map(({ memberId }) => memberId);
    },
    commit(memberId, of, given) {
      if (!assigned.has(memberId) || of !== generation)
        throw new Fault('LOG_FENCED', 'the group goes on without this generation of this member', {
          retriable: false,
        });
      for (const offset of given) offsets.set(keyOf(offset), offset);
    },
    committed: (at) => offsets.get(keyOf(at))?.offset ?? null,
    commits: () => [...offsets.values()],
  };
}

/** The partition count that all topics share. @throws Fault LOG_TOPIC_UNKNOWN, LOG_TOPICS_UNEQUAL */
export function equalPartitions(topics: MemoryTopics, names: readonly string[]): number {
  const counts = names.map((topic) => {
    const spec = topics.spec(topic);
    if (spec === null) throw unknownTopic(topic);
    return spec.partitions;
  });
  const [first = 0] = counts;
  if (counts.every((count) => count === first)) return first;
  const list = names.map((topic, index) => `${topic} has ${counts[index]}`).join(', ');
  throw new Fault('LOG_TOPICS_UNEQUAL', `co-partitioned topics need equal partition counts: ${list}`, {
    retriable: false,
  });
}
