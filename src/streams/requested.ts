// requested.v1: what upstream services ask for, checked against the contract before anything else sees it.
import type { LogRecord, OutgoingRecord } from '../broker/log.ts';
import type { Content, NotificationRequest } from '../domain/request.ts';
import { uuidOfName } from '../runtime/ids.ts';
import { cloudEventHeaders, isOfOtherType, traceparentOf } from './cloud-event.ts';
import type { Codec } from './codec.ts';
import type { DecodeAnswer, Violation } from './decode-answer.ts';
import { decodeKeyed } from './keyed-value.ts';
import { payloadHash } from './payload-hash.ts';
import { requestOf, valueOfRequest } from './request-value.ts';
import { requestedProblem } from './requested-contract.ts';
import type { Topics } from './topics.ts';

export interface RequestedInput {
  readonly request: NotificationRequest;
  readonly content: Content;
}

export interface RequestReaderDeps {
  readonly codec: Codec;
  /** HMAC of a recipient; see recipient-hash.ts. */
  readonly hashRecipient: (recipient: string) => string;
}

/**
 * The request and the content that is stored for it. A record of another `ce_type` is skipped; an untyped one is taken for a request.
 * @throws Fault REGISTRY_UNAVAILABLE (retriable)
 */
export async function decodeRequested(
  deps: RequestReaderDeps,
  record: LogRecord,
): Promise<DecodeAnswer<RequestedInput>> {
  if (isOfOtherType(record, 'NotificationRequested')) return { kind: 'skipped', reason: 'other-type' };
  const answer = await decodeKeyed(deps.codec, 'notification-requested', record);
  if (answer.kind !== 'decoded') return answer;
  const { id, value } = answer.value;
  const problem = requestedProblem(value);
  if (problem !== null) return problem;
  const request = requestOf(id, value);
  const content: Content = {
    request,
    payloadHash: payloadHash(request),
    recipientHash: deps.hashRecipient(request.recipient),
    traceparent: traceparentOf(record),
  };
  return { kind: 'decoded', value: { request, content } };
}

/** What the processor would refuse about `request`: for those who produce one and want to know before. */
export function requestProblem(request: NotificationRequest): Violation | null {
  return requestedProblem(valueOfRequest(request));
}

/**
 * The record that asks for `request`; equal for equal requests.
 * @throws Fault VALUE_TOO_LARGE (not retriable)
 */
export function encodeRequest(
  topics: Pick<Topics, 'requested'>,
  codec: Pick<Codec, 'encode'>,
  request: NotificationRequest,
  traceparent: string | null,
): OutgoingRecord {
  const { notificationId, requestedAtMs, tenantId, correlationId, causationId } = request;
  return {
    topic: topics.requested,
    partition: null,
    key: Buffer.from(notificationId),
    value: codec.encode(topics.requested, valueOfRequest(request)),
    headers: cloudEventHeaders({
      type: 'NotificationRequested',
      id: uuidOfName(notificationId, 'requested'),
      timeMs: requestedAtMs,
      subject: notificationId,
      tenantId,
      correlationId,
      causationId,
      traceparent,
    }),
  };
}
