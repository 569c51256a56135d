// Asking again after a passing trouble: a leader that moves, a topic that is just being made. For questions that may be repeated.
import { pause, type Timers } from '../../runtime/timers.ts';
import { passes } from './failure.ts';

const RETRY_PAUSE_MS = 200;
const MAX_TRIES = 10;

/** The caller sets the deadline. @throws what `work` throws when it does not pass */
export async function tryAgain<T>(timers: Timers, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries >= MAX_TRIES || !passes(error)) throw error;
      await pause(timers, RETRY_PAUSE_MS);
    }
  }
}
