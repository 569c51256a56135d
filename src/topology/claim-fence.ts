// One claim's way from committed to sent. It turns once: unsent → sending, or unsent → releasing; releasing never sends.
// Its age counts from before the first try of the claim's flush, by the monotonic clock.
import type { Clock } from '../runtime/clock.ts';

export interface ClaimFence {
  /** Right before the first byte. False when the claim is too old for a whole call, or is being released. */
  mayStart(): boolean;
  /** Takes the claim out of the race unless it is sending already; true when nothing was and nothing will be sent. */
  release(): boolean;
}

export function claimFence(clock: Clock, leaseMs: number, deadlineMs: number): ClaimFence {
  const madeAtMs = clock.monotonicMs();
  let state: 'unsent' | 'sending' | 'releasing' = 'unsent';
  return {
    mayStart() {
      if (state !== 'unsent') return false;
      const ageMs = clock.monotonicMs() - madeAtMs;
      state = ageMs + deadlineMs < leaseMs ? 'sending' : 'releasing';
      return state === 'sending';
    },
    release() {
      if (state === 'unsent') state = 'releasing';
      return state === 'releasing';
    },
  };
}
