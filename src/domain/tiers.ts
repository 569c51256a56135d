// Retry tiers: one topic per delay. A wait enters the largest tier that is not longer than it; what remains waits in memory when it
// is short, else goes through a smaller tier. Due times are absolute, so a tier is only a bound, never the answer.

export interface Tier {
  /** `30s`, as in the topic's name. */
  readonly name: string;
  readonly delayMs: number;
}

/** A remainder up to this long waits in the process' own heap instead of another hop. */
export const MAX_HEAP_WAIT_MS = 60_000;

/** What is left of a wait when its record is produced is less than what was decided: the commit came in between. */
export const TIER_SLACK_MS = 500;

/**
 * `tiers` ascending, at least one. A wait that is as long as a tier but for `TIER_SLACK_MS` enters it and comes that much late, so that
 * waits of the default policy take one hop. A wait shorter than all of them takes the first.
 */
export function tierFor(tiers: readonly Tier[], waitMs: number): Tier {
  let chosen = tiers[0];
  for (const tier of tiers) if (tier.delayMs - TIER_SLACK_MS <= waitMs) chosen = tier;
  if (chosen === undefined) throw new RangeError('no retry tier is configured');
  return chosen;
}

/** What to do with a wake-up that was read from its tier, `remainingMs` before its due time. */
export function afterTier(remainingMs: number): 'due' | 'heap' | 'next-tier' {
  if (remainingMs <= 0) return 'due';
  return remainingMs <= MAX_HEAP_WAIT_MS ? 'heap' : 'next-tier';
}

/** Longest wait that a record may carry; longer ones rest in the table until the sweeper produces them. */
export function longestRecordWaitMs(tiers: readonly Tier[]): number {
  return (tiers.at(-1)?.delayMs ?? 0) + MAX_HEAP_WAIT_MS;
}
