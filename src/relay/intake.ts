// What is taken up of one source: ids that were announced, ids that a look found, and claims that others left behind. Each id is claimed
// first, so relays that look at the same rows do not do the same work.
import type { Clock } from '../runtime/clock.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Flight } from './flight.ts';
import type { RelayProgress } from './progress.ts';
import type { WantedIds } from './wanted-ids.ts';

export interface Intake {
  /** How many of these nobody had taken up. */
  take(ids: readonly string[]): Promise<number>;
  /** Announced ids, and what others left behind when it is time to ask for that. */
  takeWaiting(): Promise<void>;
  /** When it is next time to ask, monotonic ms. */
  nextAtMs(): number;
}

export interface IntakeDeps {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly progress: RelayProgress;
  readonly flight: Flight;
  readonly wanted: WantedIds;
}

const TAKE_OVER_EVERY_MS = 1_000;

/** Everything rejects with Fault STATE_UNAVAILABLE, or with what a batch before met. */
export function sourceIntake(
  { clock, metrics, progress, flight, wanted }: IntakeDeps,
  source: string,
  { batchRows, leaseMs }: { readonly batchRows: number; readonly leaseMs: number },
): Intake {
  let takeOverAtMs = 0;
  const take = async (ids: readonly string[]): Promise<number> => {
    const claimed = ids.length === 0 ? [] : await progress.claim(source, ids, leaseMs);
    await flight.launch(claimed);
    return claimed.length;
  };
  const takeOver = async (): Promise<void> => {
    const claimed = await progress.takeOver(source, batchRows, leaseMs);
    const isAll = claimed.length < batchRows;
    takeOverAtMs = isAll ? clock.monotonicMs() + TAKE_OVER_EVERY_MS : 0;
    if (claimed.length > 0)
      metrics.increment('pin_relay_rows_total', { result: 'taken-over' }, claimed.length);
    await flight.launch(claimed);
  };
  return {
    take,
    async takeWaiting() {
      for (let ids = wanted.take(batchRows); ids.length > 0; ids = wanted.take(batchRows)) await take(ids);
      if (clock.monotonicMs() >= takeOverAtMs) await takeOver();
    },
    nextAtMs: () => takeOverAtMs,
  };
}
