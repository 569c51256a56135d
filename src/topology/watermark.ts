// Which offset may be committed: the lowest one below which every record is done. Records of one partition are taken in order and
// finish in any order. It never moves back and never jumps over an unfinished record.
import type { PartitionOffset } from '../broker/log.ts';

/** An offset that may be committed, and whose it is: after a rewind another watermark counts the same partition. */
export interface Committable extends PartitionOffset {
  readonly watermark: Watermark;
}

export interface Watermark {
  /** Offsets are taken in rising order; gaps (compaction, transaction markers) are fine. */
  taken(offset: number): void;
  done(offset: number): void;
  /** The next offset to read after a restart; null while nothing has moved since the last `committed`. */
  committable(): number | null;
  committed(offset: number): void;
  /** Records taken and not done. */
  open(): number;
}

export function watermark(): Watermark {
  const order: number[] = [];
  const finished = new Set<number>();
  let head = 0;
  let reached: number | null = null;
  let lastCommitted: number | null = null;
  const compact = () => {
    if (head < 1_024) return;
    order.splice(0, head);
    head = 0;
  };
  return {
    taken: (offset) => void order.push(offset),
    done(offset) {
      finished.add(offset);
      for (let first = order[head]; first !== undefined && finished.delete(first); first = order[head]) {
        reached = first + 1;
        head += 1;
      }
      compact();
    },
    committable: () => (reached === null || reached === lastCommitted ? null : reached),
    committed: (offset) => {
      lastCommitted = offset;
    },
    open: () => order.length - head,
  };
}
