// A provider's bulkhead: how many calls at once, how many a second, and what to do with the rest. A caller gets a permit, or waits a
// short while in a queue (rows that were woken go first), or is told to park its row in the table. A slow provider fills its own
// queue and nobody else's. Nobody claims a row before the permit is held.
import type { Clock } from '../runtime/clock.ts';
import type { Cancel, Timers } from '../runtime/timers.ts';

export interface Permit {
  /** Gives the place back; `tookMs` of the call feeds the estimate, null when nothing was called. Only the first call counts. */
  release(tookMs: number | null): void;
}

export type Grant =
  | { readonly kind: 'permit'; readonly permit: Permit }
  /** The queue is longer than `MAX_QUEUE_WAIT_MS`: rest in the table this long. */
  | { readonly kind: 'park'; readonly waitMs: number }
  | { readonly kind: 'stopped' };

export interface Permits {
  /** `isWoken`: the row waited already, so it goes before new ones. */
  acquire(isWoken: boolean): Promise<Grant>;
  /** A permit only if there is one at once; used for rows that must not wait for it. */
  tryAcquire(): Permit | null;
  /** Everybody in the queue, and everybody after, is answered `stopped`. */
  stop(): void;
  queued(): number;
  inUse(): number;
}

export interface PermitSettings {
  readonly maxConcurrency: number;
  readonly ratePerSecond: number | null;
}

/** A longer queue parks. */
export const MAX_QUEUE_WAIT_MS = 5_000;
/** Latency that is assumed before the first call was seen. */
const FIRST_GUESS_MS = 100;
const LATENCY_WEIGHT = 0.1;

interface Waiter {
  readonly grant: (grant: Grant) => void;
}

export function permits(deps: { clock: Clock; timers: Timers }, settings: PermitSettings): Permits {
  const woken: Waiter[] = [];
  const fresh: Waiter[] = [];
  const bucket = tokenBucket(deps.clock, settings.ratePerSecond);
  let inUse = 0;
  let latencyMs = FIRST_GUESS_MS;
  let parkedUntilMs = 0;
  let stopped = false;
  let cancelRefill: Cancel | null = null;

  const perSecond = () =>
    Math.min(
      settings.ratePerSecond ?? Number.POSITIVE_INFINITY,
      (settings.maxConcurrency * 1_000) / latencyMs,
    );
  const take = (): Permit => {
    inUse += 1;
    let held = true;
    return {
      release(tookMs) {
        if (!held) return;
        held = false;
        inUse -= 1;
        if (tookMs !== null) latencyMs += (Math.max(1, tookMs) - latencyMs) * LATENCY_WEIGHT;
        serve();
      },
    };
  };
  const serve = () => {
    while (woken.length + fresh.length > 0 && inUse < settings.maxConcurrency) {
      const waitMs = bucket.take();
      if (waitMs > 0) return refillAfter(waitMs);
      (woken.shift() ?? fresh.shift())?.grant({ kind: 'permit', permit: take() });
    }
  };
  const refillAfter = (waitMs: number) => {
    cancelRefill ??= deps.timers.after(waitMs, () => {
      cancelRefill = null;
      serve();
    });
  };
  const tryAcquire = () =>
    !stopped && woken.length + fresh.length === 0 && inUse < settings.maxConcurrency && bucket.take() === 0
      ? take()
      : null;
  const parkFor = (): number => {
    const nowMs = deps.clock.monotonicMs();
    parkedUntilMs = Math.max(parkedUntilMs, nowMs + MAX_QUEUE_WAIT_MS) + 1_000 / perSecond();
    return Math.ceil(parkedUntilMs - nowMs);
  };

  return {
    acquire(isWoken) {
      if (stopped) return Promise.resolve({ kind: 'stopped' });
      const permit = tryAcquire();
      if (permit !== null) return Promise.resolve({ kind: 'permit', permit });
      const ahead = isWoken ? woken.length : woken.length + fresh.length;
      if (((ahead + 1) * 1_000) / perSecond() >= MAX_QUEUE_WAIT_MS)
        return Promise.resolve({ kind: 'park', waitMs: parkFor() });
      return new Promise((resolve) => {
        (isWoken ? woken : fresh).push({ grant: resolve });
        serve();
      });
    },
    tryAcquire,
    stop() {
      stopped = true;
      cancelRefill?.();
      for (const waiter of [...woken.splice(0), ...fresh.splice(0)]) waiter.grant({ kind: 'stopped' });
    },
    queued: () => woken.length + fresh.length,
    inUse: () => inUse,
  };
}

/** `take` answers 0 and takes a token, or answers how long until there is one. A burst of one second at most. */
function tokenBucket(clock: Clock, ratePerSecond: number | null): { take(): number } {
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
