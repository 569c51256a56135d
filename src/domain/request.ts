// What an upstream service asks for, after its record has passed the contract. Immutable: stored once as the row's content.
import type { Channel } from './channel.ts';
import type { NotificationId } from './notification-id.ts';

export interface TemplateRef {
  readonly key: string;
  readonly version: string | null;
  readonly locale: string | null;
}

export interface Body {
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
}

export interface InAppCopy {
  readonly userId: string;
  readonly title: string;
  readonly body: string;
}

/** Exactly one of `template` and `body` is set. Times are epoch milliseconds, UTC. */
export interface NotificationRequest {
  readonly notificationId: NotificationId;
  readonly tenantId: string | null;
  readonly channel: Channel;
  readonly recipient: string;
  readonly template: TemplateRef | null;
  readonly body: Body | null;
  readonly data: Readonly<Record<string, string>>;
  readonly inApp: InAppCopy | null;
  readonly notBeforeMs: number | null;
  readonly notAfterMs: number | null;
  readonly priority: string | null;
  readonly parentId: string | null;
  readonly aggregateType: string | null;
  readonly aggregateId: string | null;
  readonly orgUnitId: string | null;
  readonly trigger: string | null;
  readonly correlationId: string | null;
  readonly causationId: string | null;
  readonly requestedAtMs: number;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What is stored once beside the row. */
export interface Content {
  readonly request: NotificationRequest;
  /** SHA-256 (hex) over the sorted JSON of what makes the payload the same. */
  readonly payloadHash: string;
  /** HMAC-SHA-256 (hex) of the recipient. */
  readonly recipientHash: string;
  readonly traceparent: string | null;
}
