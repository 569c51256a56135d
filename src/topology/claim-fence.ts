// One claim's way from committed to sent. It turns once: unsent → sending, or unsent → releasing; releasing never sends.
// Its age counts from before the first try of the claim's flush, by the monotonic clock.
import type { Clock } from '../runtime/clock.ts';

export interface ClaimFence {
  /** Right before the first byte. False when the claim is too old for a whole call, or is being released. */
  mayStart(): boolean;
  /** Takes the claim out of the race unless it is sending already; true when nothing was and nothing will be sent. */
  release(): boolean;
  /** Resolves when `release` won: nobody has to wait for what the provider says. */
  readonly released: Promise<void>;
}

export function claimFence(clock: Clock, leaseMs: number, deadlineMs: number): ClaimFence {
  const madeAtMs = clock.monotonicMs();
  let state: 'unsent' | 'sending' | 'releasing' = 'unsent';
  let tell: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    released,
    mayStart() {
      if (state !== 'unsent') return false;
      const ageMs = clock.monotonicMs() - madeAtMs;
      state = ageMs + deadlineMs < leaseMs ? 'sending' : 'releasing';
      return state === 'sending';
    },
    release() {
      if (state === 'unsent') state = 'releasing';
      if (state === 'releasing') tell();
      return state === 'releasing';
    },
  };
}

/** The claims that this process holds and has not settled. */
export interface HeldClaims {
  add(fence: ClaimFence, partition: number): void;
  remove(fence: ClaimFence): void;
  /** Takes every unsent claim of the task out of the race; of all tasks when it is null. */
  release(partition: number | null): void;
}

export function heldClaims(): HeldClaims {
  const held = new Map<ClaimFence, number>();
  return {
    add: (fence, partition) => void held.set(fence, partition),
    remove: (fence) => void held.delete(fence),
    release(partition) {
      for (const [fence, own] of held) if (partition === null || own === partition) fence.release();
    },
  };
}
