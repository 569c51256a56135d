// Where a group starts reading a partition. Pure.
import type { PartitionLag, PartitionOffset } from './log.ts';

export interface StartPosition extends PartitionOffset {
  /** What had been committed although the partition does not hold it; null when nothing was lost. */
  readonly outOfRange: number | null;
  /** True when the group has no usable commit for it yet: one is written at the start. */
  readonly uncommitted: boolean;
}

/** The commit, or else the beginning: a group without a commit must not lose what came before its first. */
export function startPosition({ topic, partition, committed, start, end }: PartitionLag): StartPosition {
  const held = committed !== null && committed >= start && committed <= end;
  if (held) return { topic, partition, offset: committed, outOfRange: null, uncommitted: false };
  return { topic, partition, offset: start, outOfRange: committed, uncommitted: true };
}
