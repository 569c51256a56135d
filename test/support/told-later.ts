// What is told about a notification after its request, as records on the real topics: receipts of its vendor, commands of people.
import { randomUUID } from 'node:crypto';
import type { NotificationCommand } from '../../src/domain/notification-command.ts';
import type { NotificationId } from '../../src/domain/notification-id.ts';
import type { ProviderWebhook } from '../../src/domain/provider-webhook.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { notificationCommandRecord } from '../../src/streams/notification-command.ts';
import { providerWebhookRecord } from '../../src/streams/provider-webhook.ts';
import { aCommand, aWebhook } from './a-notification.ts';
import type { RealWorld } from './real-service.ts';

type Channel = Pick<RealWorld, 'topics' | 'codec' | 'produce'>;

/** Resolves when the log has it. */
export function tellWebhook(
  { topics, codec, produce }: Channel,
  notificationId: NotificationId,
  over: Partial<ProviderWebhook> & Pick<ProviderWebhook, 'verdict'>,
): Promise<void> {
  const nowMs = systemClock.nowMs();
  const webhook = aWebhook({
    ...{ eventId: randomUUID(), notificationId, provider: 'vendor', errorCode: null, errorClass: null },
    ...{ occurredAtMs: nowMs, receivedAtMs: nowMs },
    ...over,
  });
  return produce(providerWebhookRecord(topics, codec, webhook, null));
}

export function tellCommand(
  { topics, codec, produce }: Channel,
  notificationId: NotificationId,
  over: Partial<NotificationCommand> & Pick<NotificationCommand, 'kind'>,
): Promise<void> {
  const command = aCommand({
    ...{ commandId: randomUUID(), notificationId, issuedAtMs: systemClock.nowMs() },
    ...over,
  });
  return produce(notificationCommandRecord(topics, codec, command, null));
}
