// What a Change makes of a row: the arithmetic that the SQL statements do, in TypeScript, for the in-memory store.
// Waits become times, stamps are set, the trail grows. It never decides anything and reads no clock.
import type { Change, Wake } from '../domain/change.ts';
import { changed, committedRow } from '../domain/committed-row.ts';
import type { Notification } from '../domain/notification.ts';
import { appendTrail } from '../domain/trail.ts';

type Waking = Pick<Notification, 'wakeAtMs' | 'wakeSeq' | 'wakeInLog'>;

const ASLEEP: Waking = { wakeAtMs: null, wakeSeq: 0, wakeInLog: false };

/** The first version of a row. `nowMs` is the store's clock; stamps are cut to whole milliseconds, wake-ups rounded up. */
export function insertedRow(change: Change, nowMs: number): Notification {
  const { next } = change;
  const stampMs = Math.floor(nowMs);
  const waking = wokenAt(ASLEEP, change.wake, nowMs);
  const claimedAtMs = next.claim === null ? null : stampMs;
  return committedRow(next, {
    wakeAtMs: waking.wakeAtMs,
    wakeSeq: waking.wakeSeq,
    wakeInLog: waking.wakeInLog,
    version: 1,
    nextAttemptAtMs: change.isNextAttempt ? waking.wakeAtMs : null,
    createdAtMs: stampMs,
    firstAttemptAtMs: claimedAtMs,
    lastAttemptAtMs: claimedAtMs,
    outcomeAtMs: next.outcomeSeq > 0 ? stampMs : null,
    trail: appendTrail('', change.trail, stampMs),
  });
}

/** The next version of `before`. A mark that came in between is never taken back: `publishedSeq` only rises. */
export function changedRow(before: Notification, change: Change, nowMs: number): Notification {
  const { next } = change;
  const stampMs = Math.floor(nowMs);
  const publishedSeq = Math.max(before.publishedSeq, next.publishedSeq);
  const owesNothing = next.final !== null && publishedSeq === next.outcomeSeq;
  const waking =
    change.wake.kind === 'keep' && owesNothing ? unwoken(before) : wokenAt(before, change.wake, nowMs);
  const isNewClaim = next.claim !== null && next.claim.token !== before.claim?.token;
  return committedRow(publishedSeq === next.publishedSeq ? next : changed(next, { publishedSeq }), {
    wakeAtMs: waking.wakeAtMs,
    wakeSeq: waking.wakeSeq,
    wakeInLog: waking.wakeInLog,
    version: before.version + 1,
    nextAttemptAtMs: change.isNextAttempt ? waking.wakeAtMs : before.nextAttemptAtMs,
    createdAtMs: before.createdAtMs,
    firstAttemptAtMs: isNewClaim ? (before.firstAttemptAtMs ?? stampMs) : before.firstAttemptAtMs,
    lastAttemptAtMs: isNewClaim ? stampMs : before.lastAttemptAtMs,
    outcomeAtMs: next.outcomeSeq > before.outcomeSeq ? stampMs : before.outcomeAtMs,
    trail: appendTrail(before.trail, change.trail, stampMs),
  });
}

/** The log has outcome `outcomeSeq`: the debt is paid, and only a final row that owes nothing more loses its wake-up. */
export function markedRow(before: Notification, outcomeSeq: number): Notification {
  const isSettled = before.final !== null && before.outcomeSeq === outcomeSeq;
  return changed(before, {
    publishedSeq: Math.max(before.publishedSeq, outcomeSeq),
    wakeAtMs: isSettled ? null : before.wakeAtMs,
    wakeInLog: isSettled ? false : before.wakeInLog,
  });
}

/** A final row that owes nothing has nothing due, also when its mark never comes. */
function unwoken({ wakeSeq }: Waking): Waking {
  return { wakeAtMs: null, wakeSeq, wakeInLog: false };
}

function wokenAt(before: Waking, wake: Wake, nowMs: number): Waking {
  const { wakeAtMs, wakeSeq, wakeInLog } = before;
  switch (wake.kind) {
    case 'keep':
      return { wakeAtMs, wakeSeq, wakeInLog };
    case 'none':
      return { wakeAtMs: null, wakeSeq: wakeSeq + 1, wakeInLog: false };
    case 'after':
      return { wakeAtMs: Math.ceil(nowMs + wake.waitMs), wakeSeq: wakeSeq + 1, wakeInLog: wake.inLog };
    case 'at':
      return { wakeAtMs: Math.ceil(wake.atMs), wakeSeq: wakeSeq + 1, wakeInLog: wake.inLog };
  }
}
