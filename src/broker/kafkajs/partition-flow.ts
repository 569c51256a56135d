// Which partitions are fetched. A partition stands still while anybody has a reason: its owner paused it, its start is not known yet,
// its reader took less than it was offered, or its topic rests between two looks. kafkajs forgets pauses when it restarts and keeps stale ones over a rebalance, so each
// join begins with `hold` of everything owned.
import type { Consumer } from 'kafkajs';
import type { TopicPartition } from '../log.ts';
import { keyOf } from '../partition-key.ts';

type Reason = 'owner' | 'placing' | 'reoffer' | 'resting';

export interface PartitionFlow {
  /** Forgets all reasons and holds exactly these, for `placing`. */
  hold(partitions: readonly TopicPartition[]): void;
  stop(partitions: readonly TopicPartition[], reason: Reason): void;
  go(partitions: readonly TopicPartition[], reason: Reason): void;
  /** False when what comes must not be handed on. What a resting partition brings was asked for while it was awake. */
  flows(at: TopicPartition): boolean;
}

export function partitionFlow(reader: Pick<Consumer, 'pause' | 'resume'>): PartitionFlow {
  const reasons = new Map<string, Set<Reason>>();
  return {
    hold(partitions) {
      reasons.clear();
      for (const at of partitions) reasons.set(keyOf(at), new Set(['placing']));
      tell(() => reader.pause(byTopic(partitions)));
    },
    stop(partitions, reason) {
      const stopping = partitions.filter((at) => !reasons.has(keyOf(at)));
      for (const at of partitions) {
        const standing = reasons.get(keyOf(at));
        if (standing === undefined) reasons.set(keyOf(at), new Set([reason]));
        else standing.add(reason);
      }
      tell(() => reader.pause(byTopic(stopping)));
    },
    go(partitions, reason) {
      const going = partitions.filter((at) => {
        const standing = reasons.get(keyOf(at));
        return standing?.delete(reason) === true && standing.size === 0 && reasons.delete(keyOf(at));
      });
      tell(() => reader.resume(byTopic(going)));
    },
    flows(at) {
      const standing = reasons.get(keyOf(at));
      return standing === undefined || (standing.size === 1 && standing.has('resting'));
    },
  };
}

/** A client that is between two lives cannot be told; the next `hold` makes it right. */
function tell(say: () => void): void {
  try {
    say();
  } catch {
    // Nothing flows in a client without a group.
  }
}

function byTopic(partitions: readonly TopicPartition[]): { topic: string; partitions: number[] }[] {
  const topics = new Map<string, number[]>();
  for (const { topic, partition } of partitions) topics.set(topic, [...(topics.get(topic) ?? []), partition]);
  return [...topics].map(([topic, numbers]) => ({ topic, partitions: numbers }));
}
