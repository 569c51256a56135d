// Wall-clock punctuation of one process: offsets are committed, operators are followed, the sweeper runs, what is old is forgotten.
import { type Cancel, every } from '../runtime/timers.ts';
import type { Engine } from './engine.ts';
import type { PurgeResult } from './purge.ts';
import type { SweepResult } from './sweep.ts';

export interface BackgroundWork {
  readonly commit: () => Promise<void>;
  readonly sweep: () => Promise<SweepResult | null>;
  /** Takes over what operators set; true when it changed. */
  readonly follow: () => Promise<boolean>;
  readonly purge: () => Promise<PurgeResult | null>;
}

export function startBackground(
  engine: Engine,
  work: BackgroundWork,
  report: (error: unknown) => void,
): Cancel {
  const { timers, settings } = engine;
  const cancels = [
    every(timers, settings.commitPeriodMs, work.commit, report),
    every(timers, settings.channelPollMs, () => followOperators(engine, work), report),
    every(timers, settings.sweepPeriodMs, async () => void (await work.sweep()), report),
    every(timers, settings.purgePeriodMs, async () => void (await work.purge()), report),
  ];
  return () => {
    for (const cancel of cancels) cancel();
  };
}

/** What an operator changed may end the cause of a hold: the release does not wait for the next pass. */
async function followOperators(engine: Engine, work: BackgroundWork): Promise<void> {
  await engine.storeClock.reading(() => engine.store.load([]));
  if (await work.follow()) await work.sweep();
}
