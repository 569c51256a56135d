// What others may want to know at once about a row that was committed: its Status changed, its copy arrived in an inbox, the copy was read.
// Derived from two states of a row, so whoever commits can tell. Telling is a courtesy: the row is the truth, and nothing waits for it.
import { isInInbox } from './inbox.ts';
import type { Notification, NotificationState, Status } from './notification.ts';
import type { NotificationId } from './notification-id.ts';

export interface NotificationStatusChanged {
  readonly kind: 'status-changed';
  readonly id: NotificationId;
  readonly tenantId: string | null;
  readonly from: Status;
  readonly to: Status;
  /** Of the row that says `to`. */
  readonly version: number;
}

/** `inbox-arrived`: a copy is in the inbox of `userId` now. `inbox-read`: it was read. */
export interface InboxChanged {
  readonly kind: 'inbox-arrived' | 'inbox-read';
  readonly id: NotificationId;
  readonly tenantId: string | null;
  readonly userId: string;
  readonly version: number;
}

export type NotificationEvent = NotificationStatusChanged | InboxChanged;

const NOTHING: readonly NotificationEvent[] = [];

/** What the commit of `row` changed, in the order: status, arrival, reading. Mostly nothing. */
export function eventsBetween(before: NotificationState, row: Notification): readonly NotificationEvent[] {
  const isStatusNews = before.status !== row.status;
  if (!isStatusNews && row.inAppUserId === null) return NOTHING;
  const { id, tenantId, inAppUserId: userId, version } = row;
  const events: NotificationEvent[] = [];
  if (isStatusNews)
    events.push({ kind: 'status-changed', id, tenantId, from: before.status, to: row.status, version });
  if (userId === null) return events;
  if (isInInbox(row) && !isInInbox(before))
    events.push({ kind: 'inbox-arrived', id, tenantId, userId, version });
  if (row.readAtMs !== null && before.readAtMs === null)
    events.push({ kind: 'inbox-read', id, tenantId, userId, version });
  return events;
}
