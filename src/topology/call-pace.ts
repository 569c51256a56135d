// How long a place at a provider is held for one call: of the calls that ended, and of those that are open longer than that already, so
// that a provider that hangs is noticed before its first call ends.
import type { Clock } from '../runtime/clock.ts';

/** What a call is assumed to take before the first one was seen. */
const FIRST_GUESS_MS = 100;
const CALL_WEIGHT = 0.1;

export interface CallPace {
  begin(): object;
  /** `hasCalled`: it counts for the average. False when the call ended before. */
  end(call: object, hasCalled: boolean): boolean;
  open(): number;
  typicalMs(): number;
}

export function callPace(clock: Clock): CallPace {
  const openSinceMs = new Map<object, number>();
  let averageMs = FIRST_GUESS_MS;
  return {
    begin() {
      const call = {};
      openSinceMs.set(call, clock.monotonicMs());
      return call;
    },
    end(call, hasCalled) {
      const sinceMs = openSinceMs.get(call);
      if (sinceMs === undefined) return false;
      openSinceMs.delete(call);
      if (hasCalled) averageMs += (Math.max(1, clock.monotonicMs() - sinceMs) - averageMs) * CALL_WEIGHT;
      return true;
    },
    open: () => openSinceMs.size,
    typicalMs() {
      if (openSinceMs.size === 0) return averageMs;
      const nowMs = clock.monotonicMs();
      let sumMs = 0;
      for (const sinceMs of openSinceMs.values()) sumMs += Math.max(averageMs, nowMs - sinceMs);
      return sumMs / openSinceMs.size;
    },
  };
}
