// The parking call: what a door does with a webhook that names only its provider's message. Parked first, then looked up: whoever settles
// that message at the same time looks for parked webhooks after it committed, so one of the two finds the other.
import type { NotificationId } from '../domain/notification-id.ts';
import type { ParkedWebhook, ProviderWebhook } from '../domain/provider-webhook.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { NotificationStore } from './store.ts';

export type UnnamedWebhook = ParkedWebhook & {
  readonly notificationId: null;
  readonly providerMessageId: string;
};

export interface ParkingDeps {
  readonly store: Pick<NotificationStore, 'park' | 'notificationOf' | 'unpark'>;
  readonly metrics: Metrics;
  /** How long a webhook waits for its message to be known: longer than any vendor repeats a report. */
  readonly keepMs: number;
  /** Resolves when the log acknowledged the record of `webhook`. */
  readonly publish: (webhook: ProviderWebhook) => Promise<void>;
}

/**
 * When it resolves the webhook is durable, and its provider may be told so: `parked` until its message is known, or `joined`, a record
 * of its notification already. @throws Fault STATE_UNAVAILABLE; whatever `publish` throws (the webhook is parked then)
 */
export async function parkUnnamed(deps: ParkingDeps, webhook: UnnamedWebhook): Promise<'parked' | 'joined'> {
  const { store, metrics, publish } = deps;
  const { provider, providerMessageId: messageId } = webhook;
  await store.park(webhook, deps.keepMs);
  metrics.increment('pin_webhooks_total', { provider, result: 'parked' });
  const notificationId: NotificationId | null = await store.notificationOf({ provider, messageId });
  if (notificationId === null) return 'parked';
  await publish({ ...webhook, notificationId });
  await store.unpark([webhook.eventId]);
  metrics.increment('pin_webhooks_total', { provider, result: 'joined' });
  return 'joined';
}
