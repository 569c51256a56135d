// Applies a redrive plan: exactly its notifications, at its rate, looking after each step at how those before are doing. What was done is
// read from the rows, so a run that was killed is simply run again. It holds no lock: two runs of one plan do nothing twice.
import type { Notification } from '../../domain/notification.ts';
import type { NotificationCommand } from '../../domain/notification-command.ts';
import type { NotificationId } from '../../domain/notification-id.ts';
import { type PlannedRedrive, type RedrivePlan, redriveCommandId } from '../../ops/redrive-plan.ts';
import { countStandings, failureShare, type Standing, standingOf } from '../../ops/redrive-progress.ts';
import { pause } from '../../runtime/timers.ts';
import { PAGE_ROWS } from '../../state/row-pages.ts';
import type { Environment } from '../environment.ts';
import { awaitAnswers } from './await-answer.ts';
import type { OrderDesk } from './order-desk.ts';

export interface Progress {
  readonly planned: number;
  /** Commands that this run sent. */
  readonly sent: number;
  readonly counts: Readonly<Record<Standing, number>>;
}

export interface Applied extends Progress {
  /** null: the whole plan was gone through. */
  readonly stopped: 'failures' | 'interrupted' | 'nothing-ends' | null;
  /** Sent, and without an answer when the time was over. */
  readonly unanswered: number;
}

/** Redriven and not come to anything yet: so many at most, so that a rising failure rate is seen in time. */
const MAX_AHEAD = 200;
const STEP_AT_MOST = 100;
const LOOK_AGAIN_MS = 1_000;
/** So long without any of them coming to something ends the run. */
const NOTHING_ENDS_MS = 600_000;

interface Run {
  readonly environment: Environment;
  readonly desk: OrderDesk;
  readonly plan: RedrivePlan;
  readonly actor: string;
  readonly standings: Map<NotificationId, Standing>;
  readonly tell: (progress: Progress) => void;
  sent: number;
}

/** @throws Fault when a server is away; what was done is in the rows */
export async function applyRedrive(
  environment: Environment,
  desk: OrderDesk,
  plan: RedrivePlan,
  asked: {
    readonly actor: string;
    readonly waitMs: number;
    /** Only look how far it is. */
    readonly isDry: boolean;
    readonly tell: (progress: Progress) => void;
  },
): Promise<Applied> {
  const { actor, tell } = asked;
  const run: Run = { environment, desk, plan, actor, standings: new Map(), tell, sent: 0 };
  const { signal } = environment;
  const stepSize = Math.max(1, Math.min(STEP_AT_MOST, Math.floor(plan.ratePerSecond)));
  await look(run, plan.notifications);
  const open = asked.isDry ? [] : plan.notifications.filter(({ id }) => run.standings.get(id) === 'open');
  let stopped: Applied['stopped'] = null;
  for (let from = 0; from < open.length && stopped === null; from += stepSize) {
    stopped = await mayGoOn(run);
    if (stopped !== null) break;
    const startedMs = environment.clock.monotonicMs();
    const step = open.slice(from, from + stepSize);
    await redrive(run, step);
    tell(progressOf(run));
    const tookMs = environment.clock.monotonicMs() - startedMs;
    await pause(environment.timers, (step.length / plan.ratePerSecond) * 1_000 - tookMs, signal);
  }
  const unanswered = asked.isDry ? 0 : await answersOf(run, asked.waitMs);
  return { ...progressOf(run), stopped, unanswered };
}

/** Waits while too many are under way; says why it should stop. */
async function mayGoOn(run: Run): Promise<Applied['stopped']> {
  const { environment, plan, standings } = run;
  const { clock, timers, signal } = environment;
  let endedMs = clock.monotonicMs();
  let lastRunning = Number.POSITIVE_INFINITY;
  for (;;) {
    if (signal.aborted) return 'interrupted';
    await look(run, underWay(run));
    const share = failureShare([...standings.values()]);
    if (share !== null && share >= plan.stopAtFailureShare) return 'failures';
    const running = [...standings.values()].filter((one) => one === 'running').length;
    if (running < MAX_AHEAD) return null;
    if (running < lastRunning) endedMs = clock.monotonicMs();
    else if (clock.monotonicMs() - endedMs >= NOTHING_ENDS_MS) return 'nothing-ends';
    lastRunning = running;
    await pause(timers, LOOK_AGAIN_MS, signal);
  }
}

const underWay = ({ plan, standings }: Run) =>
  plan.notifications.filter(({ id }) => ['running', 'failed'].includes(standings.get(id) ?? ''));

/** Rows as they are now: those of `step` are redriven if they are as planned. */
async function redrive(run: Run, step: readonly PlannedRedrive[]): Promise<void> {
  const rows = await look(run, step);
  const commands = step.flatMap((planned) => {
    const row = rows.get(planned.id);
    return row !== undefined && run.standings.get(planned.id) === 'open'
      ? [commandFor(run, row, planned)]
      : [];
  });
  for (const { notificationId } of commands) run.standings.set(notificationId, 'running');
  await Promise.all(commands.map(run.desk.send));
  run.sent += commands.length;
}

function commandFor(run: Run, row: Notification, planned: PlannedRedrive): NotificationCommand {
  const { plan, environment, actor } = run;
  return {
    commandId: redriveCommandId(plan, row.id),
    notificationId: row.id,
    tenantId: row.tenantId,
    kind: 'redrive',
    actor,
    reason: plan.reason,
    expectedCycle: planned.expectedCycle,
    isForced: plan.isForced,
    issuedAtMs: environment.clock.nowMs(),
  };
}

async function look(
  { desk, plan, standings }: Run,
  planned: readonly PlannedRedrive[],
): Promise<ReadonlyMap<NotificationId, Notification>> {
  const rows = new Map<NotificationId, Notification>();
  for (let from = 0; from < planned.length; from += PAGE_ROWS) {
    const page = planned.slice(from, from + PAGE_ROWS);
    for (const { row } of await desk.reader.rowsOf(page.map(({ id }) => id))) rows.set(row.id, row);
  }
  for (const one of planned) {
    const standing = standingOf(one, rows.get(one.id) ?? null, redriveCommandId(plan, one.id));
    // The command is on its way: the row does not know of it yet.
    if (standing === 'open' && standings.get(one.id) === 'running') continue;
    standings.set(one.id, standing);
  }
  return rows;
}

/** Every command that was sent gets its time to be answered. How many were not. */
async function answersOf(run: Run, limitMs: number): Promise<number> {
  const { environment, desk, plan, standings } = run;
  const waited = plan.notifications.filter(({ id }) => standings.get(id) === 'running');
  const unanswered = await awaitAnswers(
    environment,
    desk.reader,
    waited.map(({ id }) => id),
    {
      limitMs,
      isAnswered: (row) => row.commandIds.includes(redriveCommandId(plan, row.id)),
      onAnswer: () => undefined,
    },
  );
  for (const id of unanswered) standings.set(id, 'open');
  await look(run, underWay(run));
  return unanswered.length;
}

function progressOf({ plan, sent, standings }: Run): Progress {
  return { planned: plan.count, sent, counts: countStandings(standings.values()) };
}
