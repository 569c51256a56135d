// One request for many recipients becomes one notification each, before anything reaches requested.v1: the doors (relay, HTTP, kits) do
// it, the topic never carries a list. The ids are made from the source's id, so that asking again makes the same notifications.

import type { NotificationId } from '../domain/notification-id.ts';
import type { NotificationRequest } from '../domain/request.ts';
import { uuidOfName } from '../runtime/ids.ts';
import { invalidField, type Violation } from './decode-answer.ts';

/** Of one request. */
export const MAX_RECIPIENTS = 1_000;

export type FanOutAnswer =
  | { readonly kind: 'requests'; readonly requests: readonly NotificationRequest[] }
  | Violation;

/**
 * One recipient keeps the id; of several, each gets uuid v5 of (id, recipient) and the id as its parent. A recipient who is named
 * twice is asked for once. What each of the requests says is for `requestProblem` to judge.
 */
export function fanOut(
  source: Omit<NotificationRequest, 'recipient'>,
  recipients: readonly string[],
): FanOutAnswer {
  const distinct = [...new Set(recipients)];
  const [only] = distinct;
  if (only === undefined) return invalidField('to', 'names nobody');
  if (distinct.length > MAX_RECIPIENTS) {
    return invalidField('to', `names more than ${MAX_RECIPIENTS} recipients`);
  }
  if (distinct.length === 1) return { kind: 'requests', requests: [{ ...source, recipient: only }] };
  if (source.inApp !== null) {
    return invalidField('inApp', 'belongs to one user: ask for it apart from a list of recipients');
  }
  const { notificationId } = source;
  return {
    kind: 'requests',
    requests: distinct.map((recipient) => ({
      ...source,
      notificationId: childId(notificationId, recipient),
      parentId: notificationId,
      recipient,
    })),
  };
}

/** The id of one recipient's notification among many. */
export function childId(source: NotificationId, recipient: string): NotificationId {
  return uuidOfName(source, recipient) as NotificationId;
}
