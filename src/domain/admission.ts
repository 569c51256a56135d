// A request meets the table: a new row, the same request again, or another payload under a used id.

import { endCancelled, isCancelAhead } from './cancel.ts';
import type { Change } from './change.ts';
import { changed } from './committed-row.ts';
import { inboxUserOf } from './inbox.ts';
import type { Notification, NotificationState } from './notification.ts';
import { owesOutcome } from './obligation.ts';
import type { NotificationRequest } from './request.ts';
import type { RuleFacts } from './rule-facts.ts';
import { trailCode } from './trail.ts';
import { waitFor } from './wait.ts';

/** What of a request is a column of the row. */
type Asked = Pick<
  NotificationRequest,
  | 'notificationId'
  | 'tenantId'
  | 'channel'
  | 'recipient'
  | 'inApp'
  | 'notBeforeMs'
  | 'notAfterMs'
  | 'requestedAtMs'
>;

/** The row before any rule touched it. */
export function newNotification(request: Asked): NotificationState {
  return {
    id: request.notificationId,
    tenantId: request.tenantId,
    channel: request.channel,
    status: 'Pending',
    final: null,
    cycle: 0,
    attempts: 0,
    claim: null,
    unknown: null,
    hold: null,
    lastError: null,
    providerKey: null,
    providerMessageId: null,
    evidence: [],
    outcome: null,
    outcomeSeq: 0,
    publishedSeq: 0,
    inAppUserId: inboxUserOf(request),
    inAppStatus: request.inApp === null ? 'none' : 'waiting',
    readAtMs: null,
    deliveredAtMs: null,
    seenAtMs: null,
    complainedAtMs: null,
    unsubscribedAtMs: null,
    closedAtMs: null,
    cancelBy: null,
    commandIds: [],
    notBeforeMs: request.notBeforeMs,
    notAfterMs: request.notAfterMs,
    requestedAtMs: request.requestedAtMs,
  };
}

export type Redelivery =
  /** Same id, other content or tenant: the first wins, this one goes to the dead letter topic. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'publish' }
  /** A cancel of its own tenant came first: the request takes the place that was kept for it, and ends there. */
  | { readonly kind: 'cancelled' }
  /** Another tenant cancelled an id that is not its own: the request takes the place as if nothing were there. */
  | { readonly kind: 'replace' }
  /** Something will wake the row; say so again, because the first saying may be lost. */
  | { readonly kind: 're-arm'; readonly dueAtMs: number; readonly wakeSeq: number }
  | { readonly kind: 'drop' };

/**
 * The same request was delivered again (a replay, a crash before the offset commit). It changes nothing. A wait too long for a record
 * rests in the table: a record of it would only circle in the tiers.
 */
export function planRedelivery(
  row: Notification,
  stored: { readonly payloadHash: string; readonly tenantId: string | null },
  request: { readonly payloadHash: string; readonly tenantId: string | null },
): Redelivery {
  if (isCancelAhead(row)) return { kind: stored.tenantId === request.tenantId ? 'cancelled' : 'replace' };
  if (stored.payloadHash !== request.payloadHash || stored.tenantId !== request.tenantId)
    return { kind: 'conflict' };
  if (owesOutcome(row)) return { kind: 'publish' };
  const isSaidOrSoon = row.wakeInLog || row.claim !== null;
  if (row.final !== null || row.wakeAtMs === null || !isSaidOrSoon) return { kind: 'drop' };
  return { kind: 're-arm', dueAtMs: row.wakeAtMs, wakeSeq: row.wakeSeq };
}

/** The request whose cancel came first: final at birth, told once, never sent. */
export function admitCancelled(
  row: NotificationState,
  request: NotificationRequest,
  facts: RuleFacts,
): Change {
  const { commandIds } = row;
  return endCancelled({ ...newNotification(request), commandIds }, trailCode('cancelled'), facts);
}

/** No permit is near: the row waits in the table instead of in memory. */
export function park(row: NotificationState, waitMs: number, facts: RuleFacts): Change {
  const shown: NotificationState =
    row.inAppStatus === 'waiting' && (row.notBeforeMs === null || row.notBeforeMs <= facts.nowMs)
      ? changed(row, { inAppStatus: 'arrived' })
      : row;
  return waitFor(shown, waitMs, trailCode('parked', { wait: waitMs }), facts);
}
