// A member of a group of the in-memory log. Same promises as on a real broker: every assignment starts from the committed offsets with
// nothing paused, records flow only between an assignment and the next rebalance, offsets move only through `commit`. A member that was
// expelled notices it only after a heartbeat interval, and until then goes on reading what is no longer its own.
import type { Timers } from '../../runtime/timers.ts';
import { commitFloor } from '../commit-floor.ts';
import type {
  ConsumerHandlers,
  ConsumerOptions,
  LogConsumer,
  PartitionOffset,
  TopicPartition,
} from '../log.ts';
import { startPosition } from '../start-position.ts';
import { equalPartitions, type GroupSeat, type MemoryGroup } from './group.ts';
import { memoryReading } from './reading.ts';
import type { MemoryTopics } from './topics.ts';

export interface MemoryConsumer extends LogConsumer {
  /** The group goes on without it; it has not been told yet. */
  expelled(): void;
}

export interface MemoryConsumerParts {
  readonly timers: Timers;
  readonly topics: MemoryTopics;
  readonly group: MemoryGroup;
  readonly memberId: string;
  readonly options: ConsumerOptions;
  readonly handlers: ConsumerHandlers;
}

/** @throws Fault LOG_TOPIC_UNKNOWN, LOG_TOPICS_UNEQUAL */
export function memoryConsumer(parts: MemoryConsumerParts): MemoryConsumer {
  const { timers, topics, group, memberId, options, handlers } = parts;
  const partitions = equalPartitions(topics, options.topics);
  const reading = memoryReading(timers, topics, handlers, options.maxBytesPerPartition);
  const floor = commitFloor();
  let tasks: readonly number[] = [];
  let generation = 0;
  let stopped = false;

  const seat: GroupSeat = {
    memberId,
    processId: options.processId,
    topics: options.topics,
    partitions,
    owned: () => tasks,
    onRevoking() {
      if (!reading.reads()) return;
      reading.rest();
      handlers.onRevoking();
    },
    onAssigned(next, of) {
      tasks = next;
      generation = of;
      reading.rest();
      handlers.onAssigned(next, of);
      const starts = startsOf(parts, tasks, generation);
      floor.forget();
      floor.startsAt(starts);
      reading.begin(starts);
    },
  };
  const join = () => {
    if (stopped) return;
    try {
      group.join(seat);
    } catch (error) {
      handlers.onCrashed(error);
    }
  };
  timers.after(0, join);
  const unlisten = topics.onAppend(() => reading.wake());
  const owns = ({ topic, partition }: TopicPartition) =>
    options.topics.includes(topic) && tasks.includes(partition);

  return {
    pause: (at) => reading.pause(at.filter(owns)),
    resume: reading.resume,
    async commit(offsets) {
      const of = generation;
      const mine = offsets.filter((at) => owns(at) && floor.allows(at));
      await turn(timers);
      if (mine.length > 0 && !stopped) group.commit(memberId, of, mine);
    },
    lastProgressAgeMs: () => 0,
    expelled() {
      timers.after(options.heartbeatIntervalMs, () => {
        seat.onRevoking();
        join();
      });
    },
    async stop() {
      if (!stopped) {
        stopped = true;
        reading.rest();
        unlisten();
        group.leave(memberId);
      }
      await turn(timers);
    },
  };
}

/** Where each partition of these tasks starts; a start is committed where there is no usable commit. */
function startsOf(
  parts: MemoryConsumerParts,
  tasks: readonly number[],
  generation: number,
): PartitionOffset[] {
  const { topics, group, memberId, options, handlers } = parts;
  const partitions = options.topics.flatMap((topic) => tasks.map((partition) => ({ topic, partition })));
  return partitions.map((at) => {
    const lag = { ...at, committed: group.committed(at), ...topics.range(at) };
    const { offset, outOfRange, uncommitted } = startPosition(lag);
    if (outOfRange !== null) handlers.onOffsetReset(at, outOfRange, offset);
    if (uncommitted) group.commit(memberId, generation, [{ ...at, offset }]);
    return { ...at, offset };
  });
}

function turn(timers: Timers): Promise<void> {
  return new Promise((resolve) => void timers.after(0, resolve));
}
