// Keeps the starts of one kind of request a few milliseconds apart. A request costs client and broker about as much with one record as
// with fifty, so at a few hundred records a second two cores would go into requests alone. The first one after a quiet time is not held.
import type { Clock } from '../../runtime/clock.ts';
import { pause, type Timers } from '../../runtime/timers.ts';

export interface RequestSpacing {
  started(): void;
  /** Resolves `spacingMs` after the start, once per start; at once when that much has passed, or when `signal` aborts. */
  rest(signal?: AbortSignal): Promise<void>;
}

export function requestSpacing(
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
  spacingMs: number,
): RequestSpacing {
  let startedMs = clock.monotonicMs();
  let isRested = false;
  return {
    started() {
      startedMs = clock.monotonicMs();
      isRested = false;
    },
    async rest(signal) {
      if (isRested) return;
      isRested = true;
      const leftMs = startedMs + spacingMs - clock.monotonicMs();
      if (leftMs > 0) await pause(timers, leftMs, signal);
    },
  };
}
