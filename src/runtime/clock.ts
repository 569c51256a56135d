// Two readings of time. Wall time is for records and people; monotonic time is for measuring how long something took.
// Nothing else in the product reads a clock.

export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z, whole. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start; never steps back. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** `2026-11-29T18:49:57.123Z` for people and for CloudEvents. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Reads an ISO 8601 time; null when it is none. */
export function epochMsOfIso(text: string): number | null {
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? null : epochMs;
}
