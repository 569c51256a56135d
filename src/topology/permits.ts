// A provider's bulkhead: how many calls at once, how many a second, and what to do with the rest. A caller gets a permit, or waits a
// short while in a queue (rows that were woken go first), or is told to park its row in the table. A slow provider fills its own
// queue and nobody else's. Nobody claims a row before the permit is held, and nobody waits in the queue longer than its limit.
import type { Clock } from '../runtime/clock.ts';
import type { Cancel, Timers } from '../runtime/timers.ts';
import { type Permit, type PlaceSettings, placesAt } from './places.ts';
import { tokenBucket } from './token-bucket.ts';

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
  /** One at a time, then one more after each call, until all places are in use again: after a gate has opened. */
  slowStart(): void;
  /** Everybody in the queue, and everybody after, is answered `stopped`. */
  stop(): void;
  queued(): number;
  inUse(): number;
}

export interface PermitSettings extends PlaceSettings {
  readonly ratePerSecond: number | null;
}

/** A longer queue parks, and so does whoever waited this long. */
export const MAX_QUEUE_WAIT_MS = 5_000;
/**
 * Parked rows come back at least this often, however slow the provider looks now: a hang of seconds must not send rows away for the
 * minutes that they would take at its pace. Who comes back too early is parked again; that many small writes a second is the price.
 * A configured rate is no guess and stands.
 */
export const PARKED_BACK_PER_SECOND = 200;

interface Waiter {
  readonly grant: (grant: Grant) => void;
  readonly cancelLimit: Cancel;
}

export function permits(deps: { clock: Clock; timers: Timers }, settings: PermitSettings): Permits {
  const { ratePerSecond } = settings;
  const woken: Waiter[] = [];
  const fresh: Waiter[] = [];
  const bucket = tokenBucket(deps.clock, ratePerSecond);
  const places = placesAt(deps.clock, settings, () => serve());
  let parkedUntilMs = 0;
  let stopped = false;
  let cancelRefill: Cancel | null = null;

  const atMost = ratePerSecond ?? Number.POSITIVE_INFINITY;
  const perSecond = () => Math.min(atMost, places.perSecond());
  const backPerSecond = () => Math.min(atMost, Math.max(PARKED_BACK_PER_SECOND, places.perSecond()));
  const queued = () => woken.length + fresh.length;
  const serve = () => {
    while (queued() > 0 && places.hasPermit()) {
      const waitMs = bucket.take();
      if (waitMs > 0) return refillAfter(waitMs);
      answer(woken.shift() ?? fresh.shift(), { kind: 'permit', permit: places.take() });
    }
  };
  const refillAfter = (waitMs: number) => {
    cancelRefill ??= deps.timers.after(waitMs, () => {
      cancelRefill = null;
      serve();
    });
  };
  const tryAcquire = () =>
    !stopped && queued() === 0 && places.hasPermit() && bucket.take() === 0 ? places.take() : null;
  const parking = (): Grant => {
    const nowMs = deps.clock.monotonicMs();
    parkedUntilMs = Math.max(parkedUntilMs, nowMs + MAX_QUEUE_WAIT_MS) + 1_000 / backPerSecond();
    return { kind: 'park', waitMs: Math.ceil(parkedUntilMs - nowMs) };
  };
  const enqueue = (queue: Waiter[]): Promise<Grant> => {
    const waiting = waitIn(queue, deps.timers, parking);
    serve();
    return waiting;
  };

  return {
    async acquire(isWoken) {
      if (stopped) return { kind: 'stopped' };
      const permit = tryAcquire();
      if (permit !== null) return { kind: 'permit', permit };
      const ahead = isWoken ? woken.length : queued();
      if (((ahead + 1) * 1_000) / perSecond() >= MAX_QUEUE_WAIT_MS) return parking();
      return enqueue(isWoken ? woken : fresh);
    },
    tryAcquire,
    slowStart: places.slowStart,
    stop() {
      stopped = true;
      cancelRefill?.();
      for (const waiter of [...woken.splice(0), ...fresh.splice(0)]) answer(waiter, { kind: 'stopped' });
    },
    queued,
    inUse: places.inUse,
  };
}

/** Until it is answered, at the latest by `atLimit` after `MAX_QUEUE_WAIT_MS`. */
function waitIn(queue: Waiter[], timers: Timers, atLimit: () => Grant): Promise<Grant> {
  return new Promise((resolve) => {
    const waiter: Waiter = {
      grant: resolve,
      cancelLimit: timers.after(MAX_QUEUE_WAIT_MS, () => {
        queue.splice(queue.indexOf(waiter), 1);
        resolve(atLimit());
      }),
    };
    queue.push(waiter);
  });
}

function answer(waiter: Waiter | undefined, grant: Grant): void {
  waiter?.cancelLimit();
  waiter?.grant(grant);
}
