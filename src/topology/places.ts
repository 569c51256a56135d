// The places at a provider: never more calls at once than it takes. A place is not left empty while a claim is committed: permits go out a
// little ahead of the places, for about as many calls as end meanwhile, and whoever has claimed waits for a place, the first one first.
import type { Clock } from '../runtime/clock.ts';
import { callPace, type PacedCall } from './call-pace.ts';

export interface Permit {
  /** The row is claimed: resolves when a place is free; null: one is, go on. From there on it is the provider's time, and feeds the estimate. */
  place(): Promise<void> | null;
  /** Gives it back, and its place. Only the first call counts. */
  release(): void;
}

export interface Places {
  /** Whether one more may claim a row. */
  hasPermit(): boolean;
  take(): Permit;
  /** One place, then one more after each call, until all are in use again. */
  slowStart(): void;
  /** Permits that are held. */
  inUse(): number;
  /** Calls that all places together end in a second, as it looks now. */
  perSecond(): number;
}

export interface PlaceSettings {
  readonly maxConcurrency: number;
  /** False where a claim that dies unsent is dear: then nobody claims before a place is free. */
  readonly claimsAhead: boolean;
}

/** Of the places: more claims than this never wait for one. */
const MAX_AHEAD_SHARE = 0.5;
/** Claims are committed in crowds: one crowd waits for places while the next one is committed. */
const CROWDS_AHEAD = 2;

/** `onRelease`: a permit came back. */
export function placesAt(
  clock: Clock,
  { maxConcurrency, claimsAhead }: PlaceSettings,
  onRelease: () => void,
): Places {
  const pace = callPace(clock);
  const claimed = new Map<PacedCall, () => void>();
  let places = maxConcurrency;

  const seat = () => {
    for (const [call, go] of claimed) {
      if (pace.calling() >= places) return;
      claimed.delete(call);
      pace.start(call);
      go();
    }
  };
  /** A provider that got slow or was just opened has no place to fill in a hurry. */
  const ahead = () => {
    if (!claimsAhead || places < maxConcurrency) return 0;
    const share = (CROWDS_AHEAD * pace.claimMs()) / pace.typicalMs();
    return Math.floor(places * Math.min(MAX_AHEAD_SHARE, share));
  };
  return {
    hasPermit: () => pace.open() < places || pace.open() < places + ahead(),
    take() {
      const call = pace.begin();
      return {
        place() {
          pace.claimed(call);
          if (pace.calling() >= places) return new Promise((go) => void claimed.set(call, go));
          pace.start(call);
          return null;
        },
        release() {
          claimed.delete(call);
          if (!pace.end(call)) return;
          if (call.startedMs !== null) places = Math.min(maxConcurrency, places + 1);
          seat();
          onRelease();
        },
      };
    },
    slowStart() {
      places = 1;
    },
    inUse: pace.open,
    perSecond: () => (maxConcurrency * 1_000) / pace.typicalMs(),
  };
}
