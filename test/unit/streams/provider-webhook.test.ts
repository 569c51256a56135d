import { describe, expect, it } from 'vitest';
import type { ProviderWebhook } from '../../../src/domain/provider-webhook.ts';
import { decodeProviderWebhook, providerWebhookRecord } from '../../../src/streams/provider-webhook.ts';
import { anId, NOW_MS } from '../../support/a-notification.ts';
import { aCodec, received, textHeaders } from './a-codec.ts';

function aWebhook(over: Partial<ProviderWebhook> = {}): ProviderWebhook {
  return {
    eventId: '11111111-1111-4111-8111-111111111111',
    notificationId: anId(),
    provider: 'mail',
    providerMessageId: 'm-1',
    cycle: 1,
    attempt: null,
    verdict: 'failed',
    errorCode: 'mailbox-full',
    errorClass: 'transient',
    occurredAtMs: NOW_MS - 5,
    receivedAtMs: NOW_MS,
    ...over,
  };
}

describe('a provider webhook', () => {
  it('comes back as it was produced', async () => {
    const { topics, codec } = await aCodec();
    const record = received(providerWebhookRecord(topics, codec, aWebhook(), null));
    expect(await decodeProviderWebhook(codec, record)).toEqual({ kind: 'decoded', value: aWebhook() });
    expect(textHeaders(record)).toMatchObject({ ce_type: 'ProviderWebhook', ce_id: aWebhook().eventId });
  });

  it('keeps of a code only what a code may hold, and reads a class of a later version as none', async () => {
    const { topics, codec } = await aCodec();
    const strange = aWebhook({ errorCode: '5.1.1 <ada@example.com>', errorClass: 'sulking' as never });
    const record = received(providerWebhookRecord(topics, codec, strange, null));
    expect(await decodeProviderWebhook(codec, record)).toMatchObject({
      value: { errorCode: '5.1.1adaexample.com', errorClass: null },
    });
  });

  it.each([
    ['verdict', { verdict: 'eaten' as never }],
    ['eventId', { eventId: 'e-1' }],
    ['provider', { provider: '' }],
    ['providerMessageId', { providerMessageId: 'm\0' }],
    ['cycle', { cycle: -1 }],
    ['occurredAt', { occurredAtMs: 0 }],
    ['receivedAt', { receivedAtMs: 1e15 }],
  ] as const)('is refused for its %s', async (field, over) => {
    const { topics, codec } = await aCodec();
    const record = received(providerWebhookRecord(topics, codec, aWebhook(over), null));
    expect(await decodeProviderWebhook(codec, record)).toMatchObject({ reason: 'invalid-field', field });
  });
});
