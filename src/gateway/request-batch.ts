// The body of POST /v1/notifications: one request, or a batch of them, all or nothing. It answers with everything that is to be produced
// or with everything that is wrong, by JSON pointer. It produces nothing.
import { type NotificationId, parseNotificationId } from '../domain/notification-id.ts';
import type { NotificationRequest } from '../domain/request.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Ids, uuidOfName } from '../runtime/ids.ts';
import { type FieldProblem, requestsOfInput } from '../streams/request-input.ts';

/** Of one call, before and after lists of recipients became one notification each. */
export const MAX_BATCH_NOTIFICATIONS = 1_000;

export interface PointedProblem {
  /** RFC 6901, such as `/notifications/3/recipient`; empty: the body as a whole. */
  readonly pointer: string;
  /** Dotted path inside the request; null: the request as a whole. */
  readonly field: string | null;
  readonly detail: string;
}

export interface AskedItem {
  /** Where the item stands in the body, as a JSON pointer. */
  readonly pointer: string;
  readonly sourceId: NotificationId;
  readonly requests: readonly NotificationRequest[];
}

export type BatchAnswer =
  | { readonly kind: 'batch'; readonly items: readonly AskedItem[] }
  /** Somebody else's tenant was named. */
  | { readonly kind: 'forbidden'; readonly problems: readonly PointedProblem[] }
  | { readonly kind: 'invalid'; readonly problems: readonly PointedProblem[] };

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface AskedBy {
  readonly tenantId: string | null;
  /** Header `Idempotency-Key`. */
  readonly idempotencyKey: string | null;
}

/** `body` is what the JSON said; a batch is an object with `notifications`. */
export function requestBatch(deps: Deps, body: unknown, by: AskedBy): BatchAnswer {
  const key = by.idempotencyKey === null ? null : parseNotificationId(by.idempotencyKey);
  if (by.idempotencyKey !== null && key === null) {
    return invalid([{ pointer: '', field: 'Idempotency-Key', detail: 'Idempotency-Key: is not a uuid' }]);
  }
  const list = listOf(body);
  if (list === null) return together([item(deps, body, by.tenantId, { at: '', key })]);
  const size = listProblem(body, list);
  if (size !== null) return invalid([size]);
  return together(
    list.map((one, index) =>
      // A batch is asked for again whole: every item without an id of its own gets one that follows from the key.
      item(deps, one, by.tenantId, {
        at: `/notifications/${index}`,
        key: key === null ? null : (uuidOfName(key, String(index)) as NotificationId),
      }),
    ),
  );
}

type ItemAnswer =
  | { readonly kind: 'item'; readonly item: AskedItem }
  | { readonly kind: 'invalid' | 'forbidden'; readonly problems: readonly PointedProblem[] };

function item(
  deps: Deps,
  input: unknown,
  tenantId: string | null,
  { at, key }: { readonly at: string; readonly key: NotificationId | null },
): ItemAnswer {
  const defaults = key === null ? { tenantId } : { tenantId, notificationId: key };
  const answer = requestsOfInput(deps, input, defaults);
  if (answer.kind === 'invalid') {
    return { kind: 'invalid', problems: answer.problems.map((problem) => pointed(at, problem)) };
  }
  const { sourceId, requests } = answer;
  if (requests.some((request) => request.tenantId !== tenantId)) {
    const words = 'tenantId: is not the tenant of this token';
    return { kind: 'forbidden', problems: [pointed(at, { field: 'tenantId', words })] };
  }
  if (at === '' && key !== null && sourceId !== key) {
    const words = 'notificationId: differs from the Idempotency-Key';
    return { kind: 'invalid', problems: [pointed(at, { field: 'notificationId', words })] };
  }
  return { kind: 'item', item: { pointer: at, sourceId, requests } };
}

function together(answers: readonly ItemAnswer[]): BatchAnswer {
  const problems = (kind: 'invalid' | 'forbidden') =>
    answers.flatMap((answer) => (answer.kind === kind ? answer.problems : []));
  const [wrong, forbidden] = [problems('invalid'), problems('forbidden')];
  if (wrong.length > 0) return invalid(wrong);
  if (forbidden.length > 0) return { kind: 'forbidden', problems: forbidden };
  const items = answers.flatMap((answer) => (answer.kind === 'item' ? [answer.item] : []));
  return countProblem(items) ?? { kind: 'batch', items };
}

function countProblem(items: readonly AskedItem[]): BatchAnswer | null {
  const ids = items.flatMap(({ requests }) => requests.map(({ notificationId }) => notificationId));
  if (ids.length > MAX_BATCH_NOTIFICATIONS) {
    const detail = `would become ${ids.length} notifications, more than ${MAX_BATCH_NOTIFICATIONS}`;
    return invalid([{ pointer: '', field: null, detail }]);
  }
  const seen = new Set<string>();
  for (const { pointer, requests } of items) {
    if (requests.some(({ notificationId }) => seen.has(notificationId))) {
      const detail = 'notificationId: is also the id of an earlier item';
      return invalid([{ pointer: `${pointer}/notificationId`, field: 'notificationId', detail }]);
    }
    for (const { notificationId } of requests) seen.add(notificationId);
  }
  return null;
}

function listOf(body: unknown): readonly unknown[] | null {
  if (typeof body !== 'object' || body === null || !('notifications' in body)) return null;
  const { notifications } = body;
  return Array.isArray(notifications) ? (notifications as readonly unknown[]) : [];
}

function listProblem(body: unknown, list: readonly unknown[]): PointedProblem | null {
  const problem = (detail: string) => ({ pointer: '/notifications', field: null, detail });
  if (list.length === 0) return problem('notifications: must be a list of 1 or more requests');
  if (list.length > MAX_BATCH_NOTIFICATIONS)
    return problem(`notifications: holds ${list.length} requests, more than ${MAX_BATCH_NOTIFICATIONS}`);
  const others = Object.keys(body as object).filter((name) => name !== 'notifications');
  const [other] = others;
  return other === undefined
    ? null
    : { pointer: '', field: other, detail: `${other}: does not belong beside notifications` };
}

function invalid(problems: readonly PointedProblem[]): BatchAnswer {
  return { kind: 'invalid', problems };
}

function pointed(at: string, { field, words }: FieldProblem): PointedProblem {
  const path = field === null ? [] : field.split('.');
  const tail = path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { pointer: `${at}${tail}`, field, detail: words };
}
