// What of a request is shown in an inbox: the copy that it came with, or the notification itself where its channel is in-app.
import type { NotificationRequest } from '../domain/request.ts';
import type { InboxItem } from './inbox.ts';

type Shown = Pick<InboxItem, 'title' | 'body' | 'aggregateType' | 'aggregateId'>;

/** `request` null: it was purged, and nothing of it is left to show. */
export function shownOf(request: NotificationRequest | null): Shown {
  if (request === null) return { title: null, body: null, aggregateType: null, aggregateId: null };
  const { inApp, body, aggregateType, aggregateId } = request;
  const about = { aggregateType, aggregateId };
  return inApp === null
    ? { title: body?.subject ?? null, body: body?.text ?? null, ...about }
    : { title: inApp.title, body: inApp.body, ...about };
}
