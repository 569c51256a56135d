// No commit takes a group back. A member that was away for a while still holds records that its successor has finished meanwhile; when it
// owns their task again, what it would commit lies below the start that the log gave it. Where no start is known yet, nothing is committed.
import type { PartitionOffset } from './log.ts';
import { keyOf } from './partition-key.ts';

export interface CommitFloor {
  /** Another assignment: the starts of the last one say nothing any more. */
  forget(): void;
  startsAt(starts: readonly PartitionOffset[]): void;
  /** Whether committing this leaves the group where it is or takes it forward. */
  allows(offset: PartitionOffset): boolean;
}

export function commitFloor(): CommitFloor {
  const floors = new Map<string, number>();
  return {
    forget: () => floors.clear(),
    startsAt(starts) {
      for (const start of starts) floors.set(keyOf(start), start.offset);
    },
    allows(at) {
      const floor = floors.get(keyOf(at));
      return floor !== undefined && at.offset >= floor;
    },
  };
}
