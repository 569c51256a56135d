// A member of a group of the in-memory log. Same promises as on a real broker: every assignment starts from the committed offsets with
// nothing paused, records flow only between an assignment and the next rebalance, offsets move only through `commit`. A member that was
// expelled notices it only after a heartbeat interval, and until then goes on reading what is no longer its own.
import { Fault, invariant } from '../../runtime/fault.ts';
import type { Timers } from '../../runtime/timers.ts';
import type { ConsumerHandlers, ConsumerOptions, LogConsumer, TopicPartition } from '../log.ts';
import { keyOf } from '../partition-key.ts';
import { startPosition } from '../start-position.ts';
import type { GroupSeat, MemoryGroup } from './group.ts';
import { type MemoryTopics, unknownTopic } from './topics.ts';

export interface MemoryConsumer extends LogConsumer {
  readonly memberId: string;
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

const MAX_RECORDS_PER_DELIVERY = 500;
/** When a reader took less than it was offered without pausing, it is asked again after this. */
const REOFFER_MS = 50;

/** @throws Fault LOG_TOPIC_UNKNOWN, LOG_TOPICS_UNEQUAL */
export function memoryConsumer(parts: MemoryConsumerParts): MemoryConsumer {
  const { timers, topics, group, memberId, options, handlers } = parts;
  const partitions = equalPartitions(topics, options.topics);
  const positions = new Map<string, number>();
  const paused = new Set<string>();
  let tasks: readonly number[] = [];
  let generation = 0;
  let reading = false;
  let stopped = false;
  let pumping = false;

  const owned = (): TopicPartition[] =>
    options.topics.flatMap((topic) => tasks.map((partition) => ({ topic, partition })));

  const wake = (delayMs = 0) => {
    if (pumping || stopped) return;
    pumping = true;
    timers.after(delayMs, () => {
      pumping = false;
      if (reading) pump();
    });
  };

  const pump = () => {
    let again: number | null = null;
    for (const at of owned()) {
      if (!reading) return;
      const delayMs = paused.has(keyOf(at)) ? null : offer(at);
      if (delayMs !== null) again = Math.min(again ?? delayMs, delayMs);
    }
    if (again !== null) wake(again);
  };

  /** Offers what comes next of one partition; says when to offer again, null = when something new comes. */
  const offer = (at: TopicPartition): number | null => {
    const from = positions.get(keyOf(at)) ?? 0;
    const { start } = topics.range(at);
    if (from < start) {
      positions.set(keyOf(at), start);
      handlers.onOffsetReset(at, from, start);
      return 0;
    }
    const limit = { maxRecords: MAX_RECORDS_PER_DELIVERY, maxBytes: options.maxBytesPerPartition };
    const records = topics.read(at, from, limit);
    if (records.length === 0) return null;
    const taken = handlers.onRecords(at, records);
    invariant(Number.isInteger(taken) && taken >= 0 && taken <= records.length, `onRecords took ${taken}`);
    positions.set(keyOf(at), from + taken);
    return taken === records.length ? 0 : REOFFER_MS;
  };

  const place = () => {
    for (const at of owned()) {
      const lag = { ...at, committed: group.committed(at), ...topics.range(at) };
      const { offset, outOfRange, uncommitted } = startPosition(lag);
      if (outOfRange !== null) handlers.onOffsetReset(at, outOfRange, offset);
      positions.set(keyOf(at), offset);
      if (uncommitted) group.commit(memberId, generation, [{ ...at, offset }]);
    }
  };

  const seat: GroupSeat = {
    memberId,
    processId: options.processId,
    topics: options.topics,
    partitions,
    owned: () => tasks,
    onRevoking() {
      if (!reading) return;
      reading = false;
      handlers.onRevoking();
    },
    onAssigned(next, of) {
      tasks = next;
      generation = of;
      paused.clear();
      positions.clear();
      handlers.onAssigned(next, of);
      place();
      reading = true;
      wake();
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
  const unlisten = topics.onAppend(() => wake());

  return {
    memberId,
    pause(at) {
      for (const partition of at) paused.add(keyOf(partition));
    },
    resume(at) {
      for (const partition of at) paused.delete(keyOf(partition));
      wake();
    },
    commit(offsets) {
      const of = generation;
      const mine = offsets.filter(
        ({ topic, partition }) => options.topics.includes(topic) && tasks.includes(partition),
      );
      if (mine.length === 0 || stopped) return Promise.resolve();
      return new Promise((resolve, reject) => {
        timers.after(0, () => {
          try {
            group.commit(memberId, of, mine);
            resolve();
          } catch (error) {
            reject(
              error instanceof Error
                ? error
                : new Fault('LOG_UNAVAILABLE', String(error), { retriable: true }),
            );
          }
        });
      });
    },
    lastProgressAgeMs: () => 0,
    expelled() {
      timers.after(options.heartbeatIntervalMs, () => {
        seat.onRevoking();
        join();
      });
    },
    stop() {
      if (!stopped) {
        stopped = true;
        reading = false;
        unlisten();
        group.leave(memberId);
      }
      return new Promise((resolve) => void timers.after(0, resolve));
    },
  };
}

function equalPartitions(topics: MemoryTopics, names: readonly string[]): number {
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
