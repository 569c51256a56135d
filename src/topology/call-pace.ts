// How long a provider takes for one call: of the calls that ended, and of those that are open longer than that already, so that a
// provider that hangs is noticed before its first call ends. Our own claim before the call is not the provider's time, and is averaged apart.
import type { Clock } from '../runtime/clock.ts';

/** What a call is assumed to take before the first one was seen. */
const FIRST_GUESS_MS = 100;
const CALL_WEIGHT = 0.1;

export interface PacedCall {
  readonly begunMs: number;
  /** null: its permit is held, the provider is not asked yet. */
  startedMs: number | null;
}

export interface CallPace {
  begin(): PacedCall;
  /** Its claim is committed. */
  claimed(call: PacedCall): void;
  /** The provider is asked now. */
  start(call: PacedCall): void;
  /** A call that was started counts for the average. False when the call ended before. */
  end(call: PacedCall): boolean;
  /** Permits that are held. */
  open(): number;
  /** Of these, the ones at the provider. */
  calling(): number;
  typicalMs(): number;
  /** From the permit to the committed claim. */
  claimMs(): number;
}

export function callPace(clock: Clock): CallPace {
  const calls = new Set<PacedCall>();
  let averageMs = FIRST_GUESS_MS;
  let claimMs = 0;
  let calling = 0;
  return {
    begin() {
      const call: PacedCall = { begunMs: clock.monotonicMs(), startedMs: null };
      calls.add(call);
      return call;
    },
    claimed(call) {
      claimMs += (clock.monotonicMs() - call.begunMs - claimMs) * CALL_WEIGHT;
    },
    start(call) {
      call.startedMs = clock.monotonicMs();
      calling += 1;
    },
    end(call) {
      if (!calls.delete(call)) return false;
      if (call.startedMs === null) return true;
      calling -= 1;
      averageMs += (Math.max(1, clock.monotonicMs() - call.startedMs) - averageMs) * CALL_WEIGHT;
      return true;
    },
    open: () => calls.size,
    calling: () => calling,
    claimMs: () => claimMs,
    typicalMs() {
      if (calls.size === 0) return averageMs;
      const nowMs = clock.monotonicMs();
      let sumMs = 0;
      for (const { startedMs } of calls)
        sumMs += Math.max(averageMs, startedMs === null ? 0 : nowMs - startedMs);
      return sumMs / calls.size;
    },
  };
}
