// Tells the rows of one source what became of them: published_at, or failed_at with the reason. It pays what our table says is owed, so a
// source that was away is told later, and a process that died is followed by another. Repeats change nothing.
import type { Metrics } from '../runtime/metrics.ts';
import type { Outbox } from './outbox.ts';
import type { RelayProgress } from './progress.ts';
import { type SteadyDeps, steadyLoop } from './steady-loop.ts';
import { wakeCall } from './wake-call.ts';

export interface Stamper {
  /** There is something to tell. */
  wake(): void;
  /** Resolves after the stop. */
  readonly ended: Promise<void>;
}

const BATCH_ROWS = 500;
/** What another process wrote down is found within this. */
const LOOK_EVERY_MS = 1_000;

export function startStamper(
  deps: SteadyDeps & { readonly progress: RelayProgress; readonly metrics: Metrics },
  outbox: Outbox,
): Stamper {
  const wake = wakeCall(deps.timers, deps.stopping);
  const source = outbox.source.key;
  const step = async () => {
    const owed = await deps.progress.owedStamps(source, BATCH_ROWS);
    if (owed.length > 0) {
      await outbox.stamp(owed);
      await deps.progress.stamped(source, owed);
      deps.metrics.increment('pin_relay_rows_total', { result: 'stamped' }, owed.length);
    }
    if (owed.length < BATCH_ROWS) await wake.wait(LOOK_EVERY_MS);
  };
  return {
    wake: wake.call,
    ended: steadyLoop(deps, `outcomes of ${source}`, step),
  };
}
