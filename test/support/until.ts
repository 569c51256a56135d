// Waits for what gives no signal of its own (a table, a metrics page, an HTTP answer) by looking again and again, up to a limit.
import { systemClock } from '../../src/runtime/clock.ts';
import { Fault } from '../../src/runtime/fault.ts';
import { pause, systemTimers } from '../../src/runtime/timers.ts';

const UNTIL_LIMIT_MS = 20_000;
const LOOK_EVERY_MS = 25;

/**
 * What `look` gives as soon as it is not null. `what` completes "waited for …".
 * @throws Fault TEST_WAITED at the limit
 */
export async function until<T>(
  what: string | (() => string),
  look: () => Promise<T | null> | T | null,
  limitMs = UNTIL_LIMIT_MS,
): Promise<T> {
  const endMs = systemClock.monotonicMs() + limitMs;
  for (;;) {
    const seen = await look();
    if (seen !== null) return seen;
    if (systemClock.monotonicMs() >= endMs)
      throw new Fault('TEST_WAITED', `waited ${limitMs} ms for ${typeof what === 'string' ? what : what()}`, {
        retriable: false,
      });
    await pause(systemTimers, LOOK_EVERY_MS);
  }
}
