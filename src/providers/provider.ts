// A provider as a port. It promises: at most one request to the vendor per call, one deadline, no hidden retry, and an honest outcome
// (anything lost after the body left is `unknown`). It never throws, never holds a database connection, never logs an address or a body.
import type { CallOutcome, LookupAnswer, ProviderFacts } from '../domain/call-outcome.ts';
import type { Channel } from '../domain/channel.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { Body, NotificationRequest, TemplateRef } from '../domain/request.ts';

/** Where a request came from; vendors never learn it. */
export type RequestOrigin = Pick<
  NotificationRequest,
  | 'tenantId'
  | 'orgUnitId'
  | 'trigger'
  | 'aggregateType'
  | 'aggregateId'
  | 'correlationId'
  | 'causationId'
  | 'requestedAtMs'
>;

export interface ProviderCall {
  /** Correlation with the vendor: the NotificationId. */
  readonly reference: NotificationId;
  readonly cycle: number;
  readonly attempt: number;
  /** `id:cycle`. */
  readonly idempotencyKey: string;
  readonly channel: Channel;
  readonly recipient: string;
  readonly template: TemplateRef | null;
  readonly body: Body | null;
  readonly data: Readonly<Record<string, string>>;
  readonly notAfterMs: number | null;
  readonly origin: RequestOrigin;
}

/** Asked once, right before the first byte leaves. False: the claim is too old, nothing may be sent. */
export type MayStart = () => boolean;

export type SendAnswer = CallOutcome | { readonly kind: 'not-started' };

export interface Provider {
  readonly facts: ProviderFacts;
  send(call: ProviderCall, mayStart: MayStart): Promise<SendAnswer>;
  /** Only with capability `lookup`; others answer `unavailable`. */
  lookUp(reference: NotificationId, cycle: number): Promise<LookupAnswer>;
  close(): Promise<void>;
}
