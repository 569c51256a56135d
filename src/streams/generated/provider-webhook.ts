// Generated from schemas/provider-webhook.avsc by scripts/generate-types.mjs: change the schema, then run it again.

/** What a provider reported about one message after the call, verified. Key of the record: notificationId. */
export interface ProviderWebhook {
  /** Id of this report; the same when the provider repeats it. */
  readonly eventId: string;
  /** The notification that the message belongs to. */
  readonly notificationId: string;
  /** Key of the provider instance. */
  readonly provider: string;
  /** The id that the provider gave to the message. */
  readonly providerMessageId: string | null;
  /** Cycle of the notification, where the provider echoes it. */
  readonly cycle: number | null;
  /** Attempt of the cycle, where the provider echoes it. */
  readonly attempt: number | null;
  /** One of delivered, failed, complained, unsubscribed, read. */
  readonly verdict: string;
  /** Why it failed: a code of ours or of the provider, at most 64 characters. */
  readonly errorCode: string | null;
  /** Class of the error, see the vocabulary of results. */
  readonly errorClass: string | null;
  /** When it happened, by the clock of the provider. Epoch milliseconds. */
  readonly occurredAt: number;
  /** When the report reached us. Epoch milliseconds. */
  readonly receivedAt: number;
}
