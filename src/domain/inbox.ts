// Whose inbox a notification is in: the copy beside an external channel, or the notification itself where its channel is in-app.
// It is derived from the row alone; nothing is stored twice.
import type { NotificationState } from './notification.ts';
import type { NotificationRequest } from './request.ts';

type Shown = Pick<NotificationState, 'inAppUserId' | 'inAppStatus' | 'channel' | 'status'>;

/** The user whose inbox it may come to; null: nobody's. For channel in-app the recipient is the user. */
export function inboxUserOf({
  inApp,
  channel,
  recipient,
}: Pick<NotificationRequest, 'inApp' | 'channel' | 'recipient'>): string | null {
  if (inApp !== null) return inApp.userId;
  return channel === 'in-app' ? recipient : null;
}

/** The same condition as that of the indexes notifications_inbox and notifications_unread. */
export function isInInbox({ inAppUserId, inAppStatus, channel, status }: Shown): boolean {
  return inAppUserId !== null && (inAppStatus === 'arrived' || (channel === 'in-app' && status === 'Sent'));
}
