// requested.v1: what upstream services ask for, checked against the contract before anything else sees it.
import type { LogRecord, OutgoingRecord } from '../broker/log.ts';
import type { Content, NotificationRequest } from '../domain/request.ts';
import { invariant } from '../runtime/fault.ts';
import type { Codec } from './codec.ts';
import type { DecodeAnswer } from './decode-answer.ts';
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

/** @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function decodeRequested(
  _deps: RequestReaderDeps,
  _record: LogRecord,
): Promise<DecodeAnswer<RequestedInput>> {
  await Promise.resolve();
  invariant(false, 'decodeRequested is not written yet');
}

/** The record that asks for `request`. */
export function encodeRequest(
  _topics: Topics,
  _codec: Codec,
  _request: NotificationRequest,
  _traceparent: string | null,
): OutgoingRecord {
  invariant(false, 'encodeRequest is not written yet');
}
