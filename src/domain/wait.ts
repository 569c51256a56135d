// Changes that only wait: nothing is claimed, no attempt is used. No wait of an unclaimed row goes beyond notAfter.
import type { Change, Wake } from './change.ts';
import { changed } from './committed-row.ts';
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
  const { notAfterMs } = row;
  if (notAfterMs === null || waitMs < notAfterMs - facts.nowMs)
    return {
      wake: { kind: 'after', waitMs, inLog: waitMs <= facts.longestRecordWaitMs },
      endsAtNotAfter: false,
    };
  return { wake: wakeAt(notAfterMs, facts), endsAtNotAfter: true };
}

function wakeAt(atMs: number, facts: RuleFacts): Wake {
  return { kind: 'at', atMs, inLog: atMs - facts.nowMs <= facts.longestRecordWaitMs };
}

/** Waits without using an attempt: a closed gate, a busy provider, a lookup that did not answer. */
export function waitFor(row: NotificationState, waitMs: number, trail: string, facts: RuleFacts): Change {
  const { wake } = boundedWait(row, waitMs, facts);
  return { next: changed(row, { hold: null }), wake, isNextAttempt: false, trail };
}

export function waitForNotBefore(row: NotificationState, notBeforeMs: number, facts: RuleFacts): Change {
  const atMs = Math.min(notBeforeMs, row.notAfterMs ?? notBeforeMs);
  return {
    next: changed(row, { hold: null }),
    wake: wakeAt(atMs, facts),
    isNextAttempt: false,
    trail: trailCode('not-before'),
  };
}

/** Nothing until the cause ends; only notAfter keeps a time. */
export function hold(row: NotificationState, cause: Hold, facts: RuleFacts): Change {
  return {
    next: changed(row, { claim: null, hold: cause }),
    wake: row.notAfterMs === null ? { kind: 'none' } : wakeAt(row.notAfterMs, facts),
    isNextAttempt: false,
    trail: trailCode('held', { reason: holdReasonOf(cause), pause: pauseOfHold(cause) }),
  };
}
