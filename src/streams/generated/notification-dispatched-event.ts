// Generated from schemas/notification-dispatched-event.avsc by scripts/generate-types.mjs: change the schema, then run it again.

/** A final outcome. Key of the record: notificationId. Of several for one notification the highest outcomeSeq counts. No recipient, no body. */
export interface NotificationDispatchedEvent {
  /** Id of this outcome; the same in every repetition. */
  readonly eventId: string;
  /** Version of the meaning of this event. 1. */
  readonly contractVersion: number;
  /** The notification. */
  readonly notificationId: string;
  /** Owner of the notification. Null is the platform itself. */
  readonly tenantId: string | null;
  /** Channel of the request. */
  readonly channel: string;
  /** Provider instance of the last attempt, or of the channel when no attempt was made; none when it has no provider. */
  readonly providerKey: string;
  /** How it ended. */
  readonly status: 'Sent' | 'Failed' | 'Unknown';
  /** Why it is final: accepted, delivered, assumed, exhausted, refused, failed-webhook, unknown-outcome, expired or cancelled. */
  readonly reason: string;
  /** 1 for the first outcome of the notification, 2 for the one that replaces it, and so on. */
  readonly outcomeSeq: number;
  /** The outcomeSeq that this outcome replaces. */
  readonly supersedes: number | null;
  /** Cycle in which it ended; a redrive or a reopening starts the next. */
  readonly cycle: number;
  /** Provider calls of the budget, the first included. */
  readonly attempts: number;
  /** The budget at the time of the decision. */
  readonly maxAttempts: number;
  /** Id that the provider gave to the message. */
  readonly providerMessageId: string | null;
  /** NTF_ code of a failure. */
  readonly errorCode: string | null;
  /** Class of a failure. */
  readonly errorClass: string | null;
  /** What the outcome rests on: accepted, delivered, failed-webhook, assumed or none. */
  readonly evidence: string;
  /** When the upstream service asked, by its own clock. Epoch milliseconds. */
  readonly requestedAt: number;
  /** When the first attempt started. Epoch milliseconds. */
  readonly firstAttemptAt: number | null;
  /** When the last attempt started. Epoch milliseconds. */
  readonly lastAttemptAt: number | null;
  /** When the outcome was decided. Epoch milliseconds. */
  readonly dispatchedAt: number;
  /** dispatchedAt minus requestedAt, not below 0. */
  readonly deliveryLatencyMs: number;
  /** Keyed hash of the recipient (HMAC-SHA-256, hex): equal recipients have equal hashes. */
  readonly recipientHash: string;
  /** Template of the request. */
  readonly templateKey: string | null;
  /** As in the request. */
  readonly correlationId: string | null;
  /** As in the request. */
  readonly causationId: string | null;
  /** As in the request. */
  readonly attributes: Readonly<Record<string, string>>;
}
