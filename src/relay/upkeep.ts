// The slow work of the relay: records that never became a row are relayed again, outcomes that nobody told are read from the table, and
// rows that ended long ago are forgotten.
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { pause } from '../runtime/timers.ts';
import type { Outbox } from './outbox.ts';
import type { RelayProgress } from './progress.ts';
import { type SteadyDeps, steadyLoop } from './steady-loop.ts';

export interface UpkeepDeps extends SteadyDeps {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly progress: RelayProgress;
  /** The sources that could be opened so far. */
  readonly opened: () => readonly Outbox[];
  readonly onSettled: (sources: readonly string[]) => void;
}

export interface UpkeepSettings {
  readonly periodMs: number;
  readonly retentionMs: number;
}

const BATCH_ROWS = 500;
const PURGE_ROWS = 5_000;
const PURGE_EVERY_ROUNDS = 60;

/** Resolves after the stop. */
export function keepUp(deps: UpkeepDeps, settings: UpkeepSettings): Promise<void> {
  let round = 0;
  return steadyLoop(deps, 'upkeep', async () => {
    for (const { source } of deps.opened()) await checkRecords(deps, source.key);
    if (round % PURGE_EVERY_ROUNDS === 0) await purge(deps, settings.retentionMs);
    round += 1;
    await pause(deps.timers, settings.periodMs, deps.stopping);
  });
}

async function checkRecords(deps: UpkeepDeps, source: string): Promise<void> {
  const { progress, logger, metrics, onSettled, stopping } = deps;
  for (let looked = BATCH_ROWS; looked === BATCH_ROWS && !stopping.aborted; ) {
    const checked = await progress.check(source, BATCH_ROWS);
    looked = checked.looked;
    if (checked.missing > 0) {
      logger.warn('relay.repeated', { source, rows: checked.missing });
      metrics.increment('pin_relay_rows_total', { result: 'repeated' }, checked.missing);
    }
    onSettled(await progress.settle(checked.outcomes));
  }
}

async function purge({ progress, opened, stopping }: UpkeepDeps, retentionMs: number): Promise<void> {
  // Of those that cannot be told outcomes only our table knows which rows were relayed.
  const purgeable = opened().filter(({ tellsOutcomes }) => tellsOutcomes);
  const sources = purgeable.map(({ source }) => source.key);
  for (let gone = PURGE_ROWS; gone === PURGE_ROWS && !stopping.aborted; )
    gone = await progress.purge(sources, retentionMs, PURGE_ROWS);
}
