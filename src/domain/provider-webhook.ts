// What a provider told us about one of its messages after the call, once its signature was verified and its vendor's words were mapped.
import type { ErrorClass } from './codes.ts';
import type { NotificationId } from './notification-id.ts';

export const WEBHOOK_VERDICTS = ['delivered', 'failed', 'complained', 'unsubscribed', 'read'] as const;
export type WebhookVerdict = (typeof WEBHOOK_VERDICTS)[number];

/** As its door hands it over: some vendors name only their own message. */
export type ParkedWebhook = Omit<ProviderWebhook, 'notificationId'> & {
  readonly notificationId: NotificationId | null;
};

export interface ProviderWebhook {
  /** uuid of this report; the same when the provider repeats it. */
  readonly eventId: string;
  readonly notificationId: NotificationId;
  /** The provider's key (an instance of an adapter). */
  readonly provider: string;
  readonly providerMessageId: string | null;
  /** Cycle and attempt as echoed by the provider; null where it has no room for them. */
  readonly cycle: number | null;
  readonly attempt: number | null;
  readonly verdict: WebhookVerdict;
  /** A code of ours or the provider's own, sanitised; never free text. */
  readonly errorCode: string | null;
  /** null: the report names none, or one that this version does not know. */
  readonly errorClass: ErrorClass | null;
  /** By the provider's clock. */
  readonly occurredAtMs: number;
  /** By ours. */
  readonly receivedAtMs: number;
}
