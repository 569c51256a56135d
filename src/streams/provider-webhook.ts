// webhooks.v1: verified provider webhooks.
import type { LogRecord, OutgoingRecord } from '../broker/log.ts';
import { type ErrorClass, sanitiseProviderCode } from '../domain/codes.ts';
import { type ProviderWebhook, WEBHOOK_VERDICTS, type WebhookVerdict } from '../domain/provider-webhook.ts';
import { cloudEventHeaders } from './cloud-event.ts';
import type { Codec } from './codec.ts';
import { type DecodeAnswer, invalidField, type Violation } from './decode-answer.ts';
import {
  counterProblem,
  idProblem,
  MAX_ID_CHARS,
  requiredTextProblem,
  timeProblem,
  uuidProblem,
} from './field-rules.ts';
import type { ProviderWebhook as WebhookValue } from './generated/provider-webhook.ts';
import { decodeKeyed } from './keyed-value.ts';
import type { Topics } from './topics.ts';

/** @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function decodeProviderWebhook(
  codec: Codec,
  record: LogRecord,
): Promise<DecodeAnswer<ProviderWebhook>> {
  const answer = await decodeKeyed(codec, 'provider-webhook', record);
  if (answer.kind !== 'decoded') return answer;
  const { id, value } = answer.value;
  const problem = webhookProblem(value);
  if (problem !== null) return problem;
  const { verdict } = value;
  if (!isVerdict(verdict)) return invalidField('verdict', 'is not one of ours');
  const webhook: ProviderWebhook = {
    eventId: value.eventId.toLowerCase(),
    notificationId: id,
    provider: value.provider,
    providerMessageId: value.providerMessageId,
    cycle: value.cycle,
    attempt: value.attempt,
    verdict,
    errorCode: sanitiseProviderCode(value.errorCode),
    errorClass: errorClassOf(value.errorClass),
    occurredAtMs: value.occurredAt,
    receivedAtMs: value.receivedAt,
  };
  return { kind: 'decoded', value: webhook };
}

/** @throws Fault VALUE_TOO_LARGE (not retriable) */
export function providerWebhookRecord(
  topics: Topics,
  codec: Codec,
  webhook: ProviderWebhook,
  traceparent: string | null,
): OutgoingRecord {
  const { occurredAtMs, receivedAtMs, ...same } = webhook;
  const value: WebhookValue = { occurredAt: occurredAtMs, receivedAt: receivedAtMs, ...same };
  return {
    topic: topics.webhooks,
    partition: null,
    key: Buffer.from(webhook.notificationId),
    value: codec.encode(topics.webhooks, value),
    headers: cloudEventHeaders({
      type: 'ProviderWebhook',
      id: webhook.eventId,
      timeMs: receivedAtMs,
      subject: webhook.notificationId,
      tenantId: null,
      correlationId: null,
      causationId: null,
      traceparent,
    }),
  };
}

function webhookProblem(value: WebhookValue): Violation | null {
  return (
    uuidProblem('eventId', value.eventId) ??
    requiredTextProblem('provider', value.provider, MAX_ID_CHARS) ??
    idProblem('providerMessageId', value.providerMessageId) ??
    counterProblem('cycle', value.cycle) ??
    counterProblem('attempt', value.attempt) ??
    timeProblem('occurredAt', value.occurredAt) ??
    timeProblem('receivedAt', value.receivedAt)
  );
}

function isVerdict(text: string): text is WebhookVerdict {
  return (WEBHOOK_VERDICTS as readonly string[]).includes(text);
}

const ERROR_CLASSES: readonly ErrorClass[] = [
  'transient',
  'rate-limited',
  'refused',
  'blocked',
  'misconfigured',
  'unknown',
  'not-implemented',
  'expired',
  'cancelled',
];

/** A class of a later version reads as none. */
function errorClassOf(text: string | null): ErrorClass | null {
  return ERROR_CLASSES.find((known) => known === text) ?? null;
}
