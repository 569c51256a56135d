// A row becomes requests: one with the id of the row, or, with several recipients, one for each under an id made from the row's id and
// the recipient. Pure and from the row alone, so that a row that is relayed again asks for the same notifications with the same content.
import { type NotificationId, parseNotificationId } from '../domain/notification-id.ts';
import type { NotificationRequest } from '../domain/request.ts';
import type { Violation } from '../streams/decode-answer.ts';
import { fanOut } from '../streams/fan-out.ts';
import { requestProblem } from '../streams/requested.ts';
import { MAX_PAYLOAD_BYTES, type OutboxRow } from './outbox-row.ts';
import { parsePayload, type RequestPayload } from './payload.ts';

export type RowAnswer =
  | { readonly kind: 'requests'; readonly requests: readonly NotificationRequest[] }
  /** It can never become a request. */
  | { readonly kind: 'dead'; readonly reason: string };

/** `seenAtMs`: when the row was first taken up, for tables that do not say when it was written. */
export function requestsOfRow(row: OutboxRow, seenAtMs: number): RowAnswer {
  const id = parseNotificationId(row.id);
  if (id === null) return dead('id is not a uuid');
  if (row.payload === null) return dead(`payload is longer than ${MAX_PAYLOAD_BYTES} bytes`);
  const answer = parsePayload(row.payload);
  if (answer.kind === 'wrong') return dead(answer.reason);
  const asked = fanOut(sourceOf(row, id, answer.payload, seenAtMs), answer.payload.to);
  if (asked.kind === 'violation') return dead(wordsOf(asked));
  const [problem] = asked.requests.flatMap((request) => requestProblem(request) ?? []);
  return problem === undefined ? asked : dead(wordsOf(problem));
}

/** Field by field: taking the rest of an object apart costs more than everything else that is done for a row. */
function sourceOf(
  row: OutboxRow,
  id: NotificationId,
  asked: RequestPayload,
  seenAtMs: number,
): Omit<NotificationRequest, 'recipient'> {
  return {
    notificationId: id,
    tenantId: row.tenantId,
    // The contract refuses another name by itself.
    channel: asked.channel as NotificationRequest['channel'],
    template: asked.template,
    body: asked.body,
    data: asked.data,
    inApp: asked.inApp,
    notBeforeMs: asked.notBeforeMs,
    notAfterMs: asked.notAfterMs,
    priority: asked.priority,
    parentId: null,
    aggregateType: row.aggregateType,
    aggregateId: row.aggregateId,
    orgUnitId: row.orgUnitId,
    trigger: asked.trigger,
    correlationId: row.correlationId ?? id,
    causationId: row.causationId,
    requestedAtMs: row.occurredAtMs ?? timeOfId(id) ?? seenAtMs,
    attributes: asked.attributes,
  };
}

function wordsOf({ reason, detail }: Violation): string {
  return `${reason}: ${detail}`;
}

/** The time in a uuid v7; null for other versions. */
function timeOfId(id: NotificationId): number | null {
  return id[14] === '7' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : null;
}

function dead(reason: string): RowAnswer {
  return { kind: 'dead', reason };
}
