// Changes that only wait: nothing is claimed, no attempt is used. No wait of an unclaimed row goes beyond notAfter.
import type { Change, Wake } from './change.ts';
import { type Hold, holdReasonOf, pauseOfHold } from './hold.ts';
import type { NotificationState } from './notification.ts';
import type { RuleFacts } from './rule-facts.ts';
import { trailCode } from './trail.ts';

export interface BoundedWait {
  readonly wake: Wake;
  /** True when notAfter comes first: then nothing but the end happens at the wake-up. */
  readonly endsAtNotAfter: boolean;
}

export function boundedWait(row: NotificationState, waitMs: number, facts: RuleFacts): BoundedWait {
  const carried = (ms: number) => ms <= facts.longestRecordWaitMs;
  const leftMs = row.notAfterMs === null ? null : row.notAfterMs - facts.nowMs;
  if (row.notAfterMs === null || leftMs === null || waitMs < leftMs)
    return { wake: { kind: 'after', waitMs, inLog: carried(waitMs) }, endsAtNotAfter: false };
  return { wake: { kind: 'at', atMs: row.notAfterMs, inLog: carried(leftMs) }, endsAtNotAfter: true };
}

/** Waits without using an attempt: a closed gate, a busy provider, a lookup that did not answer. */
export function waitFor(row: NotificationState, waitMs: number, trail: string, facts: RuleFacts): Change {
  const { wake } = boundedWait(row, waitMs, facts);
  return { next: { ...row, hold: null }, wake, isNextAttempt: false, trail };
}

export function waitForNotBefore(row: NotificationState, notBeforeMs: number, facts: RuleFacts): Change {
  const atMs = Math.min(notBeforeMs, row.notAfterMs ?? notBeforeMs);
  const wake: Wake = { kind: 'at', atMs, inLog: atMs - facts.nowMs <= facts.longestRecordWaitMs };
  return { next: { ...row, hold: null }, wake, isNextAttempt: false, trail: trailCode('not-before') };
}

/** Nothing until the cause ends; only notAfter keeps a time. */
export function hold(row: NotificationState, cause: Hold, facts: RuleFacts): Change {
  const leftMs = row.notAfterMs === null ? null : row.notAfterMs - facts.nowMs;
  const wake: Wake =
    row.notAfterMs === null || leftMs === null
      ? { kind: 'none' }
      : { kind: 'at', atMs: row.notAfterMs, inLog: leftMs <= facts.longestRecordWaitMs };
  return {
    next: { ...row, claim: null, hold: cause },
    wake,
    isNextAttempt: false,
    trail: trailCode('held', { reason: holdReasonOf(cause), pause: pauseOfHold(cause) }),
  };
}
