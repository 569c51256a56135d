// How old the first record is that a group has not finished, without reading it: the broker is asked which offset belongs to a time, and
// a search over a ladder of ages finds the step. Exact to one step (a half more), about six questions a topic, none where nothing waits.
import type { PartitionLag } from '../broker/log.ts';

/** The first offset of each partition whose record is from `atMs` or later; the end where there is none. */
export type OffsetsAt = (topic: string, atMs: number) => Promise<ReadonlyMap<number, number>>;

const FIRST_AGE_MS = 500;
const GROWTH = 1.5;
const STEPS = 36;
/** 0.5 s … 8 days: beyond what input topics keep. */
const AGES_MS: readonly number[] = Array.from({ length: STEPS }, (_, step) =>
  Math.round(FIRST_AGE_MS * GROWTH ** step),
);

/** By partition, in ms: the record is at least that old; 0 below half a second; partitions without lag are left out. */
export async function oldestRecordAges(
  offsetsAt: OffsetsAt,
  topic: string,
  partitions: readonly PartitionLag[],
  nowMs: number,
): Promise<ReadonlyMap<number, number>> {
  const asked = new Map<number, Promise<ReadonlyMap<number, number>>>();
  const offsetsAged = (ageMs: number) => {
    const known = asked.get(ageMs) ?? offsetsAt(topic, nowMs - ageMs);
    asked.set(ageMs, known);
    return known;
  };
  const ages = new Map<number, number>();
  for (const { partition, committed, start, end } of partitions) {
    const first = Math.max(committed ?? start, start);
    if (first >= end) continue;
    ages.set(
      partition,
      await largestAge(async (ageMs) => ((await offsetsAged(ageMs)).get(partition) ?? end) > first),
    );
  }
  return ages;
}

/** The largest age of the ladder for which `isOlder` holds; it holds for all smaller ones too. */
async function largestAge(isOlder: (ageMs: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [0, STEPS];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isOlder(AGES_MS[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : (AGES_MS[low - 1] ?? 0);
}
