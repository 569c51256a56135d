// Keeps one source moving: takes up what was announced, what others left behind and what looks at the table find, and works on a few
// batches at once. Each id is claimed first, so relays that look at the same rows do not do the same work.
import type { Clock } from '../runtime/clock.ts';
import { pause } from '../runtime/timers.ts';
import { type BatchDeps, relayBatch } from './batch.ts';
import { afterLook, firstLook, isFullLook, type LookRules } from './look-schedule.ts';
import type { Outbox, Page, Place } from './outbox.ts';
import type { Claimed } from './progress.ts';
import { type SteadyDeps, steadyLoop } from './steady-loop.ts';
import { wantedIds } from './wanted-ids.ts';

export interface PumpSettings {
  readonly batchRows: number;
  readonly leaseMs: number;
  readonly maxPauseMs: number;
  readonly checkAfterMs: number;
}

export interface SourcePump {
  /** Empty `ids`: something is there. */
  announce(ids: readonly string[]): void;
  /** Resolves after the stop, when no batch is in flight. */
  readonly ended: Promise<void>;
}

/** Batches in flight: one is read while the other is acknowledged. */
const MAX_BATCHES = 3;
const MIN_PAUSE_MS = 50;
const FULL_LOOK_EVERY_MS = 5_000;
const TAKE_OVER_EVERY_MS = 1_000;
/** Transactions that take no longer are met by the next look at the newest rows; the others by a full one. */
const OVERLAP_MS = 2_000;

type PumpDeps = BatchDeps & SteadyDeps & { readonly clock: Clock };

export function startSourcePump(deps: PumpDeps, outbox: Outbox, settings: PumpSettings): SourcePump {
  const wanted = wantedIds();
  let wake: AbortController | null = null;
  const flight = batchesInFlight(deps, outbox, settings);
  const step = pumpStep(deps, outbox, settings, { wanted, flight });
  const run = async () => {
    const waitMs = await step();
    if (waitMs === 0 || !wanted.isQuiet()) return;
    wake = new AbortController();
    await pause(deps.timers, waitMs, AbortSignal.any([wake.signal, deps.stopping]));
    wake = null;
  };
  return {
    announce(ids) {
      wanted.add(ids);
      wake?.abort();
    },
    ended: steadyLoop(deps, outbox.source.key, run).then(() => flight.idle()),
  };
}

interface Flight {
  /** Waits for room, then works on the batch beside the others. @throws Fault of a batch before it */
  launch(claimed: readonly Claimed[]): Promise<void>;
  /** @throws Fault of a batch before */
  report(): void;
  idle(): Promise<void>;
}

function batchesInFlight(deps: PumpDeps, outbox: Outbox, settings: PumpSettings): Flight {
  const flying = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | null = null;
  const report = () => {
    const failed = failure;
    failure = null;
    if (failed !== null) throw failed.error;
  };
  return {
    report,
    async launch(claimed) {
      if (claimed.length === 0) return;
      const batch: Promise<void> = relayBatch(deps, outbox, claimed, settings.checkAfterMs)
        .catch((error: unknown) => {
          failure = { error };
        })
        .finally(() => flying.delete(batch));
      flying.add(batch);
      while (flying.size >= MAX_BATCHES) await Promise.race(flying);
      report();
    },
    async idle() {
      await Promise.all(flying);
    },
  };
}

/** One round; resolves with how long to wait before the next, 0: not at all. */
function pumpStep(
  deps: PumpDeps,
  outbox: Outbox,
  settings: PumpSettings,
  { wanted, flight }: { readonly wanted: ReturnType<typeof wantedIds>; readonly flight: Flight },
): () => Promise<number> {
  const { clock, progress, metrics } = deps;
  const source = outbox.source.key;
  const rules: LookRules = {
    minPauseMs: outbox.isAnnounced ? settings.maxPauseMs : Math.min(MIN_PAUSE_MS, settings.maxPauseMs),
    maxPauseMs: settings.maxPauseMs,
    minFullEveryMs: FULL_LOOK_EVERY_MS,
    isOrdered: outbox.isOrdered,
  };
  let schedule = firstLook(clock.monotonicMs(), rules);
  let takeOverAtMs = 0;
  let newest: Place | null = null;

  const take = async (ids: readonly string[]): Promise<number> => {
    const claimed = ids.length === 0 ? [] : await progress.claim(source, ids, settings.leaseMs);
    await flight.launch(claimed);
    return claimed.length;
  };
  const takeAnnounced = async (): Promise<void> => {
    for (let ids = wanted.take(settings.batchRows); ids.length > 0; ids = wanted.take(settings.batchRows))
      await take(ids);
  };
  const takeOver = async (): Promise<void> => {
    if (clock.monotonicMs() < takeOverAtMs) return;
    const claimed = await progress.takeOver(source, settings.batchRows, settings.leaseMs);
    const isAll = claimed.length < settings.batchRows;
    takeOverAtMs = isAll ? clock.monotonicMs() + TAKE_OVER_EVERY_MS : 0;
    if (claimed.length > 0)
      metrics.increment('pin_relay_rows_total', { result: 'taken-over' }, claimed.length);
    await flight.launch(claimed);
  };
  const walk = async (
    read: (after: Place | null) => Promise<Page>,
  ): Promise<{ found: number; last: Place | null }> => {
    let found = 0;
    let last: Place | null = null;
    for (let page = await read(null); page.last !== null && !deps.stopping.aborted; page = await read(last)) {
      last = page.last;
      found += await take(page.rows.map(({ id }) => id));
      await takeAnnounced();
      if (page.rows.length < settings.batchRows) break;
    }
    return { found, last };
  };
  const look = async (isFull: boolean): Promise<number> => {
    const from = isFull ? null : newest;
    const { found, last } = await walk((after) =>
      after === null && from !== null
        ? outbox.newest(from, OVERLAP_MS, settings.batchRows)
        : outbox.page(after, settings.batchRows),
    );
    newest = last ?? newest;
    if (!isFull) return found;
    return found + (await walk((after) => outbox.timeless(after, settings.batchRows))).found;
  };
  return async () => {
    flight.report();
    await takeAnnounced();
    await takeOver();
    const startedMs = clock.monotonicMs();
    if (wanted.takeLook() || startedMs >= schedule.nextAtMs) {
      const isFull = isFullLook(schedule, startedMs, rules) || newest === null;
      const found = await look(isFull);
      schedule = afterLook(schedule, { isFull, found, startedMs, endedMs: clock.monotonicMs() }, rules);
    }
    return Math.max(0, Math.min(schedule.nextAtMs, takeOverAtMs) - clock.monotonicMs());
  };
}
