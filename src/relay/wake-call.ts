// Waiting that a call ends. A call that comes while nobody waits ends the next wait at once, so none is missed.
import { pause, type Timers } from '../runtime/timers.ts';

export interface WakeCall {
  call(): void;
  /** Resolves at a call, at the stop, or after `limitMs`. Never rejects. */
  wait(limitMs: number): Promise<void>;
}

export function wakeCall(timers: Timers, stopping: AbortSignal): WakeCall {
  let isCalled = false;
  let waiting: AbortController | null = null;
  const call = () => {
    isCalled = true;
    waiting?.abort();
  };
  stopping.addEventListener('abort', call);
  return {
    call,
    async wait(limitMs) {
      if (!isCalled && !stopping.aborted) {
        waiting = new AbortController();
        await pause(timers, limitMs, waiting.signal);
        waiting = null;
      }
      isCalled = false;
    },
  };
}
