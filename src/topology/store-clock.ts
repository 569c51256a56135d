// The store's clock as this process sees it: the local clock corrected by the last reading. A reading is as old as its answer's way
// back, so the estimate is late by that, never early: nothing starts before its time.
import type { Clock } from '../runtime/clock.ts';

export interface StoreClock {
  nowMs(): number;
  /** A reading of the store's clock that just arrived. */
  heard(storeNowMs: number): void;
  /** Local minus store, ms, as of the last reading. */
  skewMs(): number;
}

export function storeClock(clock: Clock): StoreClock {
  let skewMs = 0;
  return {
    nowMs: () => Math.floor(clock.nowMs() - skewMs),
    heard: (storeNowMs) => {
      skewMs = clock.nowMs() - storeNowMs;
    },
    skewMs: () => skewMs,
  };
}
