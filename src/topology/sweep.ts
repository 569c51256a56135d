// Makes certain what records make fast: finds every overdue wake_at and produces its wake-up again; releases held rows whose cause is
// gone, at their channel's pace; produces long waits two minutes ahead. It never sends and never changes a status. One process at a
// time, under a lock; a pass that dies is repeated by the next holder.
import type { Channel } from '../domain/channel.ts';
import { type Hold, pauseOfHold } from '../domain/hold.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { pauseKey } from '../domain/pause.ts';
import { repeatsInPass } from '../domain/sweep-schedule.ts';
import type { HeldRow, OverdueRow, SweepPage } from '../state/store.ts';
import type { Engine } from './engine.ts';
import { sweepParked } from './message-join.ts';
import { produceWakeUp } from './obligations.ts';

export const SWEEP_LOCK = 'notifications:retry-worker';
const PAGE_ROWS = 500;
/** Long waits enter the log this long before they are due. */
const AHEAD_MS = 120_000;
/** Wake-ups in the producer at once; keeps a pass over a large backlog from filling it. */
const MAX_PENDING = 200;
const MAX_PAGES = 20_000;

export interface SweepResult {
  readonly woken: number;
  readonly released: number;
}

/** One pass; null when another process holds the lock. @throws Fault STATE_UNAVAILABLE (retriable) */
export function sweepOnce(engine: Engine): Promise<SweepResult | null> {
  return engine.store.underLock(SWEEP_LOCK, async (signal) => {
    const isOver = () => signal.aborted || engine.stopping.aborted;
    const lastMs = await engine.store.lastSweepMs();
    const { startedMs, woken, isComplete } = await wakeOverdue(engine, lastMs, isOver);
    const released = await releaseHeld(engine, isOver);
    await sweepParked(engine, isOver);
    // A pass that saw only some rows has not finished: the next one must not take the others for repeated.
    if (isComplete && startedMs !== null && !isOver()) await engine.store.sweepFinished(startedMs);
    return { woken, released };
  });
}

interface WokenRows {
  readonly startedMs: number | null;
  readonly woken: number;
  /** True when the last page was seen. */
  readonly isComplete: boolean;
}

async function wakeOverdue(engine: Engine, lastMs: number | null, isOver: () => boolean): Promise<WokenRows> {
  let after: NotificationId | null = null;
  let startedMs: number | null = null;
  let woken = 0;
  for (let pages = 0; pages < MAX_PAGES && !isOver(); pages += 1) {
    const page = await engine.store.overdue({ after, limit: PAGE_ROWS, aheadMs: AHEAD_MS });
    startedMs ??= page.nowMs;
    woken += await wakePage(engine, page, lastMs);
    after = page.rows.at(-1)?.id ?? null;
    if (page.rows.length < PAGE_ROWS || after === null) return { startedMs, woken, isComplete: true };
  }
  return { startedMs, woken, isComplete: false };
}

async function wakePage(engine: Engine, page: SweepPage, lastMs: number | null): Promise<number> {
  const due = page.rows.filter((row) => repeatsInPass(row, page.nowMs, lastMs));
  for (let at = 0; at < due.length; at += MAX_PENDING) {
    const part = due.slice(at, at + MAX_PENDING);
    await Promise.all(part.map((row) => produceWakeUp(engine, wakeUpOf(row))));
  }
  const entered = due.filter((row) => !row.wakeInLog && row.wakeAtMs > page.nowMs);
  if (entered.length > 0) await engine.store.wakeEnteredLog(entered);
  return due.length;
}

const wakeUpOf = (row: OverdueRow) => ({
  notificationId: row.id,
  dueAtMs: row.wakeAtMs,
  wakeSeq: row.wakeSeq,
});

/** The rows of a pause that stands are a group of their own: nobody reads through them to find those whose cause is gone. */
async function releaseHeld(engine: Engine, isOver: () => boolean): Promise<number> {
  const gone = (await engine.store.heldCounts()).filter((held) => isCauseGone(engine, held));
  let released = 0;
  for (const channel of new Set(gone.map((held) => held.channel)))
    released += await releaseChannel(
      engine,
      channel,
      gone.filter((held) => held.channel === channel).map(({ hold }) => hold),
      isOver,
    );
  return released;
}

/** At most one period's worth over all causes, spread over the period: the rest follows in the next pass. */
async function releaseChannel(
  engine: Engine,
  channel: Channel,
  holds: readonly Hold[],
  isOver: () => boolean,
): Promise<number> {
  const pace = engine.channels.get(channel)?.releasePerSecond ?? 1;
  const budget = Math.max(1, Math.ceil((pace * engine.settings.sweepPeriodMs) / 1_000));
  const startMs = engine.storeClock.nowMs();
  const dueAtMs = (nth: number) => startMs + Math.floor((nth * 1_000) / pace);
  let released = 0;
  for (const hold of holds) {
    let after: NotificationId | null = null;
    while (released < budget && !isOver()) {
      const limit = Math.min(PAGE_ROWS, budget - released);
      const rows: readonly HeldRow[] = await engine.store.held({ channel, hold, after, limit });
      await Promise.all(
        rows.map(({ id: notificationId, wakeSeq }, index) =>
          produceWakeUp(engine, { notificationId, dueAtMs: dueAtMs(released + index), wakeSeq }),
        ),
      );
      released += rows.length;
      after = rows.at(-1)?.id ?? null;
      if (rows.length < limit || after === null) break;
    }
  }
  return released;
}

interface Held {
  readonly channel: Channel;
  readonly hold: Hold;
}

function isCauseGone(engine: Engine, { channel, hold }: Held): boolean {
  const pause = pauseOfHold(hold);
  if (pause !== null) {
    // A pause of the whole channel holds them too.
    const ofChannel = pauseKey({ kind: 'channel', channel });
    return !engine.pauses.has(pause) && !engine.pauses.has(ofChannel);
  }
  const config = engine.channels.get(channel);
  const provider = config?.providerKey == null ? undefined : engine.providerFacts.get(config.providerKey);
  switch (hold) {
    case 'channel-disabled':
      return config?.isEnabled === true;
    case 'channel-unconfigured':
      return provider !== undefined;
    case 'channel-stub':
      return provider?.isStub === false;
    default:
      // The causes of the others are not known here yet; rows in them are released by the commands that end them.
      return false;
  }
}
