// How long a provider takes for one call: of the calls that ended, and of those that are open longer than that already, so that a
// provider that hangs is noticed before its first call ends. Our own claim before the call is not the provider's time.
import type { Clock } from '../runtime/clock.ts';

/** What a call is assumed to take before the first one was seen. */
const FIRST_GUESS_MS = 100;
const CALL_WEIGHT = 0.1;

export interface PacedCall {
  /** null: its place is held, the provider is not asked yet. */
  startedMs: number | null;
}

export interface CallPace {
  begin(): PacedCall;
  /** The provider is asked now. */
  start(call: PacedCall): void;
  /** A call that was started counts for the average. False when the call ended before. */
  end(call: PacedCall): boolean;
  open(): number;
  typicalMs(): number;
}

export function callPace(clock: Clock): CallPace {
  const calls = new Set<PacedCall>();
  let averageMs = FIRST_GUESS_MS;
  return {
    begin() {
      const call: PacedCall = { startedMs: null };
      calls.add(call);
      return call;
    },
    start(call) {
      call.startedMs = clock.monotonicMs();
    },
    end(call) {
      if (!calls.delete(call)) return false;
      if (call.startedMs !== null)
        averageMs += (Math.max(1, clock.monotonicMs() - call.startedMs) - averageMs) * CALL_WEIGHT;
      return true;
    },
    open: () => calls.size,
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
