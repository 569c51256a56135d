// What becomes of a failed row that an operator wants to try again. Pure. A row whose notification exists is redriven: a new cycle with a
// fresh budget, under the rules of a redrive. One that never became a notification is opened again, and the relay reads it anew.
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { FailedRow } from './outbox.ts';
import type { OutboxRow } from './outbox-row.ts';
import { requestsOfRow } from './requests-of-row.ts';

export type ReemitStep =
  | { readonly kind: 'redrive'; readonly row: FailedRow; readonly notifications: readonly Notification[] }
  | { readonly kind: 'reopen'; readonly row: FailedRow }
  | { readonly kind: 'leave'; readonly row: FailedRow; readonly why: string };

/** The notifications that a row asks for; empty for one that is no request. */
export function notificationIdsOf(row: OutboxRow): readonly NotificationId[] {
  const answer = requestsOfRow(row, 0);
  if (answer.kind === 'requests') return answer.requests.map(({ notificationId }) => notificationId);
  return [];
}

/** `states`: the notifications that exist, of those that `content` asks for. `content` null: the row is gone. */
export function planReemit(
  row: FailedRow,
  content: OutboxRow | null,
  states: ReadonlyMap<string, Notification>,
): ReemitStep {
  if (content === null) return { kind: 'leave', row, why: 'the row is gone' };
  const ids = notificationIdsOf(content);
  const known = ids.flatMap((id) => states.get(id) ?? []);
  // Also when it is still no request: then it fails again with today's reason.
  if (known.length < ids.length || ids.length === 0) return { kind: 'reopen', row };
  const failed = known.filter(({ final, status }) => final !== null && status === 'Failed');
  if (failed.length > 0) return { kind: 'redrive', row, notifications: failed };
  const why = known.some(({ final }) => final === null)
    ? 'it is being tried already'
    : 'nothing of it failed';
  return { kind: 'leave', row, why };
}
