// Since when the store has not answered. It promises one telling when an outage begins and one when it ends, however many lanes and
// tries see it; the lines for people are written by whoever knows of all servers. It never changes what anybody does.
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

export interface OutageWatch {
  /** What one lane tells after each try: null when the store answered, else why it did not. */
  reporter(): (failure: string | null) => void;
  /** Epoch ms by this process' clock; null while every lane is answered. */
  unavailableSinceMs(): number | null;
}

export interface OutageWatchDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told at each beginning (since when) and each end (null). */
  readonly onChange: (unavailableSinceMs: number | null) => void;
}

export function outageWatch({ clock, logger, onChange }: OutageWatchDeps): OutageWatch {
  const failing = new Set<symbol>();
  let sinceMs: number | null = null;
  const begin = (reason: string) => {
    sinceMs = clock.nowMs();
    logger.debug('state.unavailable', { detail: reason });
    onChange(sinceMs);
  };
  const end = (beganMs: number) => {
    sinceMs = null;
    logger.debug('state.available', { duration_ms: clock.nowMs() - beganMs });
    onChange(null);
  };
  return {
    reporter() {
      const lane = Symbol('lane');
      return (failure) => {
        if (failure === null) failing.delete(lane);
        else failing.add(lane);
        if (failure !== null && sinceMs === null) begin(failure);
        if (failing.size === 0 && sinceMs !== null) end(sinceMs);
      };
    },
    unavailableSinceMs: () => sinceMs,
  };
}
