// A provider's rate: tokens come evenly, a burst of one second at most.
import type { Clock } from '../runtime/clock.ts';

export interface TokenBucket {
  /** 0 and a token is taken, or how many ms until there is one. */
  take(): number;
}

/** `ratePerSecond` null: no limit. */
export function tokenBucket(clock: Clock, ratePerSecond: number | null): TokenBucket {
  if (ratePerSecond === null) return { take: () => 0 };
  const capacity = Math.max(1, ratePerSecond);
  let tokens = capacity;
  let atMs = clock.monotonicMs();
  return {
    take() {
      const nowMs = clock.monotonicMs();
      tokens = Math.min(capacity, tokens + ((nowMs - atMs) * ratePerSecond) / 1_000);
      atMs = nowMs;
      if (tokens >= 1) {
        tokens -= 1;
        return 0;
      }
      return Math.ceil(((1 - tokens) * 1_000) / ratePerSecond);
    },
  };
}
