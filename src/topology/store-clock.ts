// The store's clock as this process sees it: the local clock corrected by the last reading. A reading is as old as its answer's way
// back, so the estimate is late by that, never early: nothing starts before its time. An answer that was long on its way, because the
// process stood still or the store was busy, says little: it counts only where it contradicts what is known.
import type { Clock } from '../runtime/clock.ts';

export interface StoreClock {
  nowMs(): number;
  /** What `ask` answers, its reading of the store's clock taken in. */
  reading<T extends { readonly nowMs: number }>(ask: () => Promise<T>): Promise<T>;
  /** Asks until an answer came quickly, a few times at most: at the start nothing better is known. */
  begin(ask: () => Promise<{ readonly nowMs: number }>): Promise<void>;
  /** Local minus store, ms, as of the last reading that counted. */
  skewMs(): number;
}

const QUICK_MS = 1_000;
const MAX_ASKS = 5;

export function storeClock(clock: Clock): StoreClock {
  let skewMs = 0;
  let isKnown = false;
  const heard = (storeNowMs: number, wayMs: number) => {
    const knownMs = clock.nowMs() - skewMs;
    const isPossible = knownMs >= storeNowMs && knownMs <= storeNowMs + wayMs;
    if (!isKnown || wayMs <= QUICK_MS || !isPossible) skewMs = clock.nowMs() - storeNowMs;
    isKnown = true;
  };
  const timed = async <T extends { readonly nowMs: number }>(ask: () => Promise<T>) => {
    const askedAtMs = clock.monotonicMs();
    const answer = await ask();
    const wayMs = clock.monotonicMs() - askedAtMs;
    heard(answer.nowMs, wayMs);
    return { answer, wayMs };
  };
  return {
    nowMs: () => Math.floor(clock.nowMs() - skewMs),
    reading: async (ask) => (await timed(ask)).answer,
    async begin(ask) {
      for (let asks = 0; asks < MAX_ASKS; asks += 1) if ((await timed(ask)).wayMs <= QUICK_MS) return;
    },
    skewMs: () => skewMs,
  };
}
