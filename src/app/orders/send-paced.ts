// Does one thing after another at a given pace, until all are done or somebody interrupts.
import { pause } from '../../runtime/timers.ts';
import type { Environment } from '../environment.ts';

/** How many of `items` were done. Whatever `work` throws ends it. */
export async function paced<T>(
  { clock, timers, signal }: Environment,
  items: readonly T[],
  ratePerSecond: number,
  work: (item: T) => Promise<void>,
): Promise<number> {
  const startedMs = clock.monotonicMs();
  let done = 0;
  for (const item of items) {
    if (signal.aborted) break;
    await work(item);
    done += 1;
    const aheadMs = (done / ratePerSecond) * 1_000 - (clock.monotonicMs() - startedMs);
    if (aheadMs > 0 && done < items.length) await pause(timers, aheadMs, signal);
  }
  return done;
}
