// Keeps one source moving: takes up what was announced, what others left behind and what looks at the table find (look-schedule.ts).
import type { Clock } from '../runtime/clock.ts';
import type { BatchDeps } from './batch.ts';
import { batchesInFlight } from './flight.ts';
import { type Intake, sourceIntake } from './intake.ts';
import { afterLook, firstLook, isFullLook, type LookRules } from './look-schedule.ts';
import type { Outbox, Page, Place } from './outbox.ts';
import { type SteadyDeps, steadyLoop } from './steady-loop.ts';
import { wakeCall } from './wake-call.ts';
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

const MIN_PAUSE_MS = 50;
const FULL_LOOK_EVERY_MS = 5_000;
/** Transactions that take no longer are met by the next look at the newest rows; the others by a full one. */
const OVERLAP_MS = 2_000;

type PumpDeps = BatchDeps & SteadyDeps & { readonly clock: Clock };

export function startSourcePump(deps: PumpDeps, outbox: Outbox, settings: PumpSettings): SourcePump {
  const { clock, stopping } = deps;
  const rules: LookRules = {
    minPauseMs: outbox.isAnnounced ? settings.maxPauseMs : Math.min(MIN_PAUSE_MS, settings.maxPauseMs),
    maxPauseMs: settings.maxPauseMs,
    minFullEveryMs: FULL_LOOK_EVERY_MS,
    isOrdered: outbox.isOrdered,
  };
  const wanted = wantedIds();
  const flight = batchesInFlight(deps, outbox, settings.checkAfterMs);
  const intake = sourceIntake({ ...deps, flight, wanted }, outbox.source.key, settings);
  const look = looker(outbox, intake, settings.batchRows, stopping);
  let schedule = firstLook(clock.monotonicMs(), rules);
  const wake = wakeCall(deps.timers, stopping);

  const round = async (): Promise<void> => {
    flight.report();
    await intake.takeWaiting();
    const startedMs = clock.monotonicMs();
    if (wanted.takeLook() || startedMs >= schedule.nextAtMs) {
      const { isFull, found } = await look(isFullLook(schedule, startedMs, rules));
      schedule = afterLook(schedule, { isFull, found, startedMs, endedMs: clock.monotonicMs() }, rules);
    }
    const waitMs = Math.min(schedule.nextAtMs, intake.nextAtMs()) - clock.monotonicMs();
    if (waitMs > 0 && wanted.isQuiet()) await wake.wait(waitMs);
  };
  return {
    announce(ids) {
      wanted.add(ids);
      wake.call();
    },
    ended: steadyLoop(deps, outbox.source.key, round).then(() => flight.idle()),
  };
}

interface Looked {
  readonly isFull: boolean;
  /** Rows that nobody had taken up. */
  readonly found: number;
}

/** Looks at everything, or at the newest rows once it knows where they begin. */
function looker(
  outbox: Outbox,
  intake: Intake,
  pageRows: number,
  stopping: AbortSignal,
): (wantsFull: boolean) => Promise<Looked> {
  let newest: Place | null = null;
  const walk = async (first: Promise<Page>, next: (after: Place) => Promise<Page>) => {
    let found = 0;
    let last: Place | null = null;
    for (let page = await first; page.last !== null && !stopping.aborted; page = await next(page.last)) {
      last = page.last;
      found += await intake.take(page.rows.map(({ id }) => id));
      await intake.takeWaiting();
      if (page.rows.length < pageRows) break;
    }
    return { found, last };
  };
  const pageAfter = (after: Place | null) => outbox.page(after, pageRows);
  return async (wantsFull) => {
    const from = wantsFull ? null : newest;
    const first = from === null ? pageAfter(null) : outbox.newest(from, OVERLAP_MS, pageRows);
    const { found, last } = await walk(first, pageAfter);
    newest = last ?? newest;
    if (from !== null) return { isFull: false, found };
    const timeless = await walk(outbox.timeless(null, pageRows), (after) => outbox.timeless(after, pageRows));
    return { isFull: true, found: found + timeless.found };
  };
}
