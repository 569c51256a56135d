// dispatched.v1: the final outcome as one readable, replayable fact. It is made from the committed row and its immutable content and from
// nothing else, so a repeat is equal byte for byte. It never carries a recipient or a body.
import type { LogRecord, OutgoingRecord } from '../broker/log.ts';
import type { FinalOutcome, Notification } from '../domain/notification.ts';
import type { Content } from '../domain/request.ts';
import { invariant } from '../runtime/fault.ts';
import { uuidOfName } from '../runtime/ids.ts';
import { cloudEventHeaders } from './cloud-event.ts';
import type { Codec } from './codec.ts';
import type { DecodeAnswer } from './decode-answer.ts';
import type { NotificationDispatchedEvent } from './generated/notification-dispatched-event.ts';
import { decodeKeyed } from './keyed-value.ts';
import type { Topics } from './topics.ts';

const CONTRACT_VERSION = 1;
const NO_PROVIDER = 'none';

/** Pure, given the codec: the same row and content give the same key, value and headers. The row must have an outcome. */
export function dispatchedRecord(
  topics: Topics,
  codec: Codec,
  row: Notification,
  content: Content,
): OutgoingRecord {
  const { outcome, outcomeAtMs } = row;
  invariant(outcome !== null && outcomeAtMs !== null, `${row.id} has no outcome to publish`);
  invariant(topics.writesDispatched, `consumer ${topics.consumer} publishes no outcomes`);
  const event = eventOf(row, content, outcome, outcomeAtMs);
  return {
    topic: topics.dispatched,
    partition: null,
    key: Buffer.from(row.id),
    value: codec.encode(topics.dispatched, event, outcome.schemaVersion),
    headers: cloudEventHeaders({
      type: 'NotificationDispatchedEvent',
      id: event.eventId,
      timeMs: outcomeAtMs,
      subject: row.id,
      tenantId: event.tenantId,
      correlationId: event.correlationId,
      causationId: event.causationId,
      traceparent: content.traceparent,
    }),
  };
}

/** For those who read the topic back. @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function decodeDispatched(
  codec: Codec,
  record: LogRecord,
): Promise<DecodeAnswer<NotificationDispatchedEvent>> {
  const answer = await decodeKeyed(codec, 'notification-dispatched-event', record);
  return answer.kind === 'decoded' ? { kind: 'decoded', value: answer.value.value } : answer;
}

function eventOf(
  row: Notification,
  { request, recipientHash }: Content,
  outcome: FinalOutcome,
  outcomeAtMs: number,
): NotificationDispatchedEvent {
  return {
    eventId: uuidOfName(row.id, `dispatched/${outcome.seq}`),
    contractVersion: CONTRACT_VERSION,
    notificationId: row.id,
    tenantId: row.tenantId,
    channel: row.channel,
    providerKey: outcome.providerKey ?? NO_PROVIDER,
    status: outcome.status,
    reason: outcome.reason,
    outcomeSeq: outcome.seq,
    supersedes: outcome.supersedes,
    cycle: outcome.cycle,
    attempts: outcome.attempts,
    maxAttempts: outcome.maxAttempts,
    providerMessageId: outcome.providerMessageId,
    errorCode: outcome.error?.code ?? null,
    errorClass: outcome.error?.errorClass ?? null,
    evidence: outcome.evidence,
    requestedAt: request.requestedAtMs,
    firstAttemptAt: row.firstAttemptAtMs,
    lastAttemptAt: row.lastAttemptAtMs,
    dispatchedAt: outcomeAtMs,
    // Two clocks: the upstream's may be ahead of the database's.
    deliveryLatencyMs: Math.max(0, outcomeAtMs - request.requestedAtMs),
    recipientHash,
    templateKey: request.template?.key ?? null,
    correlationId: request.correlationId,
    causationId: request.causationId,
    attributes: inKeyOrder(request.attributes),
  };
}

/** The database gives a map back in its own order; the bytes must not depend on where the content came from. */
function inKeyOrder(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
