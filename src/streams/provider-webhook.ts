// webhooks.v1: verified provider webhooks.
import type { LogRecord, OutgoingRecord } from '../broker/log.ts';
import type { ProviderWebhook } from '../domain/provider-webhook.ts';
import { invariant } from '../runtime/fault.ts';
import type { Codec } from './codec.ts';
import type { DecodeAnswer } from './decode-answer.ts';
import type { Topics } from './topics.ts';

/** @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function decodeProviderWebhook(
  _codec: Codec,
  _record: LogRecord,
): Promise<DecodeAnswer<ProviderWebhook>> {
  await Promise.resolve();
  invariant(false, 'decodeProviderWebhook is not written yet');
}

export function providerWebhookRecord(
  _topics: Topics,
  _codec: Codec,
  _webhook: ProviderWebhook,
  _traceparent: string | null,
): OutgoingRecord {
  invariant(false, 'providerWebhookRecord is not written yet');
}
