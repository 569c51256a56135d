// Ends a process that is stuck, and only such a one. Stuck: a piece of work or the consumer made no step for the limit, while every
// server that it may wait for answers. A server that is away is a named outage and no reason to exit: a restart would not bring it back,
// and would lose the membership. It never touches work; it asks the servers only when something has taken suspiciously long.
import type { Clock } from '../runtime/clock.ts';
import { isFault, messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { type Cancel, every, type Timers, within } from '../runtime/timers.ts';
import type { Outages } from './outages.ts';

export interface WatchdogDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly outages: Pick<Outages, 'note' | 'current'>;
  /** Monotonic start of the oldest piece of work in progress; null: none. */
  readonly oldestWorkMs: () => number | null;
  /** Monotonic age of the consumer's last sign of life. */
  readonly consumerAgeMs: () => number;
  /** Since when the store's writes are not answered, epoch ms; null: they are. */
  readonly storeAwaySinceMs: () => number | null;
  /** Asks the log for a sign of life. @throws Fault LOG_UNAVAILABLE */
  readonly pingLog: () => Promise<void>;
  /** Called once. */
  readonly onStuck: (error: StuckError) => void;
}

export interface WatchdogSettings {
  /** PIN_WATCHDOG. */
  readonly limitMs: number;
}

/** What the process says on its way out. */
export class StuckError extends Error {}

/** How often it looks within its limit, but not more than once a second. */
const LOOKS_PER_LIMIT = 120;
const MIN_TICK_MS = 1_000;
/** Longer than a call, a flush and a wait for a permit usually take: worth asking the log whether it is there. */
const SUSPICIOUS_MS = 5_000;
const PING_LIMIT_MS = 25_000;
/** A look that comes this late, even after a ping that took its whole time: the process itself stood still, and everything in it gets its time again. */
const FROZEN_MS = 5_000;

export function startWatchdog(deps: WatchdogDeps, { limitMs }: WatchdogSettings): Cancel {
  const { clock, outages } = deps;
  const tickMs = Math.max(MIN_TICK_MS, limitMs / LOOKS_PER_LIMIT);
  let excusedUntilMs = clock.monotonicMs();
  let lookedAtMs = clock.monotonicMs();
  let isStuck = false;

  const stillMs = () => {
    const nowMs = clock.monotonicMs();
    const workMs = nowMs - (deps.oldestWorkMs() ?? nowMs);
    return { workMs, consumerMs: deps.consumerAgeMs(), excusedMs: nowMs - excusedUntilMs };
  };
  const tick = async () => {
    outages.note('postgres', 'writes', deps.storeAwaySinceMs());
    const { workMs, consumerMs } = stillMs();
    if (Math.max(workMs, consumerMs) >= SUSPICIOUS_MS) await askLog(deps);
    else outages.note('kafka', 'ping', null);
    const wasFrozen = clock.monotonicMs() - lookedAtMs > tickMs + PING_LIMIT_MS + FROZEN_MS;
    lookedAtMs = clock.monotonicMs();
    if (wasFrozen || outages.current().size > 0) excusedUntilMs = lookedAtMs;
    const still = stillMs();
    const longestMs = Math.min(Math.max(still.workMs, still.consumerMs), still.excusedMs);
    if (isStuck || longestMs < limitMs) return;
    isStuck = true;
    const what = still.workMs >= limitMs ? 'a piece of work' : 'the consumer';
    deps.onStuck(
      new StuckError(`${what} made no step for ${Math.round(longestMs / 1_000)} s, and every server answers`),
    );
  };
  return every(deps.timers, tickMs, tick, (error) =>
    deps.logger.debug('watchdog.failed', { detail: messageOf(error) }),
  );
}

/** One question at a time: `every` waits for the tick before. */
async function askLog({ clock, timers, outages, pingLog }: WatchdogDeps): Promise<void> {
  const askedAtMs = clock.nowMs();
  try {
    await within(timers, PING_LIMIT_MS, 'LOG_UNAVAILABLE', pingLog());
    outages.note('kafka', 'ping', null);
  } catch (error) {
    if (!isFault(error)) throw error;
    outages.note('kafka', 'ping', askedAtMs, error);
  }
}
