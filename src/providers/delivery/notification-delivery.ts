// The contract for teams that bring a channel of their own: one function, three answers, no exceptions. The processor does the rest:
// order per id, durable attempts, waiting, the outcome. A delivery never waits, never counts attempts and never retries by itself.
import type { Channel } from '../../domain/channel.ts';
import type { RefusalCode } from '../../domain/codes.ts';
import type { Body, TemplateRef } from '../../domain/request.ts';

/** What is to be delivered now. */
export interface PendingNotification {
  /**
   * The NotificationId, and the idempotency key: within one cycle the same id is the same message. After a crash or a deadline it may
   * come again although it was delivered; a delivery that can tell must then answer as the first time.
   */
  readonly id: string;
  /** Rises when a notification is sent again on purpose: after a failure was reported late, or by an operator. */
  readonly cycle: number;
  /** From 1. */
  readonly attempt: number;
  readonly channel: Channel;
  readonly to: string;
  /** Exactly one of `template` and `body` is set. */
  readonly template: TemplateRef | null;
  readonly body: Body | null;
  readonly data: Readonly<Record<string, string>>;
  readonly trigger: string | null;
  readonly aggregateType: string | null;
  readonly aggregateId: string | null;
  /** null: the platform's own. */
  readonly tenantId: string | null;
  readonly orgUnitId: string | null;
  /** The id, where the request named none. */
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Epoch milliseconds, UTC. */
  readonly occurredAtMs: number;
  /** No attempt starts later; null: any time will do. */
  readonly notAfterMs: number | null;
}

export type DeliveryAnswer =
  /** It is out. `messageId` names it where the channel has a name for it. */
  | { readonly kind: 'delivered'; readonly messageId: string | null }
  /** Certainly not out; it may be tried again. */
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs: number | null }
  /** Certainly not out, and it never will be. */
  | { readonly kind: 'reject'; readonly reason: string; readonly code: RefusalCode };

export interface NotificationDelivery {
  /**
   * Names the processor that this delivery belongs to (PIN_CONSUMER): each name has its own state, group and retries, so that two
   * deliveries of the same requests never meet.
   */
  readonly consumer: string;
  /**
   * Called with the cause of `pending` in place: what it stages or requests carries the correlation id and cites the id as its
   * causation. `signal` aborts at the deadline; from then on nobody listens to the answer. What it throws counts as "nobody knows".
   */
  deliver(pending: PendingNotification, signal: AbortSignal): Promise<DeliveryAnswer>;
}

export function delivered(messageId: string | null = null): DeliveryAnswer {
  return { kind: 'delivered', messageId };
}

/** `afterMs`: not before that long, in full, whatever the policy says. */
export function retry(reason: string, afterMs: number | null = null): DeliveryAnswer {
  return { kind: 'retry', reason, afterMs };
}

export function reject(reason: string, code: RefusalCode = 'NTF_PROVIDER_BLOCKED'): DeliveryAnswer {
  return { kind: 'reject', reason, code };
}
