// What a step of the schedule does, and what must hold after it. A disturbance of processes always leaves one that is well; an outage ends
// no process, and work goes on soon after it.
import type { ChannelConfig } from '../../src/domain/channel.ts';
import type { VendorCall } from '../../src/lab/vendor-ledger.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { invariant } from '../../src/runtime/fault.ts';
import { pause, systemTimers } from '../../src/runtime/timers.ts';
import { until } from '../support/until.ts';
import type { OffsetCheck } from './findings.ts';
import type { Fleet } from './fleet.ts';
import type { Observer } from './observer.ts';
import { haveOutage, type OutageDeps } from './outages.ts';
import type { Report, Silence } from './report.ts';
import type { Step } from './schedule.ts';

/** Longer than the session of a member, so that its tasks have changed hands when it wakes. */
const FREEZE_MS = 12_000;
const EXTRA_MS = 4_000;
/** Longer than a process takes to see it. */
const CHANNEL_OFF_MS = 4_000;
/** DESIGN: after an outage of any server work resumes within it. */
export const RESUME_LIMIT_MS = 30_000;

export interface ChaosRun extends OutageDeps {
  readonly fleet: Fleet;
  readonly observer: Observer;
  readonly offsets: OffsetCheck;
  readonly report: Report;
  readonly outageMs: number;
  readonly channel: ChannelConfig;
}

/** Resolves with what went wrong, in sentences. */
export async function disturb(run: ChaosRun, step: Step): Promise<readonly string[]> {
  await pause(systemTimers, step.gapMs);
  run.report.count(step.kind === 'outage' ? step.outage : step.kind);
  switch (step.kind) {
    case 'outage':
      return outage(run, step);
    case 'freeze':
      run.fleet.signal(step.who, 'SIGSTOP');
      await pause(systemTimers, FREEZE_MS);
      run.fleet.signal(step.who, 'SIGCONT');
      return [];
    case 'extra':
      return extra(run);
    case 'config':
      await changeConfig(run);
      return [];
    case 'kill':
      await run.fleet.end(step.who, 'SIGKILL');
      await run.fleet.start(step.who);
      return [];
    case 'stop': {
      const code = await run.fleet.end(step.who, 'SIGTERM');
      await run.fleet.start(step.who);
      return code === 0 ? [] : [`a process that was told to stop ended with ${code ?? 'a signal'}`];
    }
  }
}

/** The channel is off for a while, and comes back with another budget and other waits. */
async function changeConfig({ world, channel }: ChaosRun): Promise<void> {
  await world.saveChannel({ ...channel, isEnabled: false });
  await pause(systemTimers, CHANNEL_OFF_MS);
  const backoff = { ...channel.backoff, baseMs: channel.backoff.baseMs / 2 };
  await world.saveChannel({ ...channel, backoff, maxAttempts: channel.maxAttempts - 50, isEnabled: true });
}

/** One process more for a while: two rebalances. */
async function extra({ fleet }: ChaosRun): Promise<readonly string[]> {
  const one = await fleet.extra();
  await pause(systemTimers, EXTRA_MS);
  const { code } = await one.end('SIGTERM');
  return code === 0 ? [] : [`the extra process ended with ${code ?? 'a signal'}`];
}

async function outage(run: ChaosRun, step: Extract<Step, { kind: 'outage' }>): Promise<readonly string[]> {
  const before = run.fleet.pids();
  await haveOutage(run, step.outage, run.outageMs, step.isAbrupt);
  const endMs = systemClock.nowMs();
  const resumedMs = await resumed(run.observer, endMs);
  run.report.resumed(step.outage, resumedMs);
  const after = run.fleet.pids();
  const ahead = await run.offsets.aheadOfRows();
  return [
    ...(resumedMs <= RESUME_LIMIT_MS ? [] : [`work resumed ${resumedMs} ms after the end of ${step.outage}`]),
    ...run.fleet.endedByThemselves().map((words) => `${step.outage} ended ${words}`),
    ...(before.join() === after.join() ? [] : [`${step.outage}: other processes run than before`]),
    ...ahead,
  ];
}

/** Milliseconds from `endMs` to the time at which every partition had an outcome again. */
async function resumed(observer: Observer, endMs: number): Promise<number> {
  const firsts = await until(
    () => `an outcome on every partition: ${JSON.stringify(observer.firstSince(endMs))} since ${endMs}`,
    () => {
      const seen = observer.firstSince(endMs);
      return seen.every((at) => at !== null) ? seen : null;
    },
    RESUME_LIMIT_MS * 2,
  );
  return Math.max(...firsts.map((at) => (at ?? 0) - endMs));
}

/** One of two processes is killed and nobody takes its place for `watchMs`. */
export async function silenceAfterKill(
  run: ChaosRun,
  sentAtMs: ReadonlyMap<string, number>,
  watchMs: number,
): Promise<Silence> {
  const { fleet, observer, report } = run;
  invariant(fleet.pids().length === 2, 'the silence is that of one of two');
  const killedMs = systemClock.nowMs();
  await fleet.end(0, 'SIGKILL');
  report.count('kill');
  const endedMs = systemClock.nowMs();
  await pause(systemTimers, watchMs);
  const nowMs = systemClock.nowMs();
  const keys = keySilences(run.world.vendor.ledger.calls, sentAtMs, endedMs, nowMs);
  const parked = await parkedOnes(run, [...keys.keys()]);
  const unparked = [...keys].flatMap(([id, ms]) => (parked.has(id) ? [] : [ms]));
  const silence = { partitionMs: longest(observer.silences(killedMs, nowMs)), keyMs: longest(unparked) };
  report.silence(silence);
  return silence;
}

/** One of two processes is told to stop: how long after its end each partition has an outcome again, at most, ms. */
export async function handOverAfterStop({ fleet, observer, report }: ChaosRun): Promise<number> {
  await fleet.end(0, 'SIGTERM');
  report.count('stop');
  const endedMs = systemClock.nowMs();
  const handOverMs = await resumed(observer, endedMs);
  report.handOver(handOverMs);
  return handOverMs;
}

function longest(times: readonly number[]): number {
  return times.reduce((most, ms) => Math.max(most, ms), 0);
}

/** Of each key asked for since `fromMs`: how long until the vendor's ledger knew it. */
function keySilences(
  calls: readonly VendorCall[],
  sentAtMs: ReadonlyMap<string, number>,
  fromMs: number,
  toMs: number,
): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { reference, atMs } of calls)
    if (atMs >= fromMs && !first.has(reference)) first.set(reference, atMs);
  const asked = [...sentAtMs].filter(([, atMs]) => atMs >= fromMs);
  return new Map(asked.map(([id, atMs]) => [id, (first.get(id) ?? toMs) - atMs]));
}

/** Keys that wait because their provider is busy, which a machine too slow for the load makes of it, not because nobody owns them. */
async function parkedOnes({ world }: ChaosRun, ids: readonly string[]): Promise<ReadonlySet<unknown>> {
  const rows = await world.query(
    `select id from notifications where id = any ($1::uuid[]) and trail like '%parked%'`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
