// What an upstream service says when it asks, in all three ways of asking, and what it hears when that cannot be.
import type { Channel } from '../../domain/channel.ts';
import type { InAppCopy } from '../../domain/request.ts';
import type { Violation } from '../../streams/decode-answer.ts';

export interface NewNotification {
  /** A uuid: the idempotency key. Without it each call asks for another notification. */
  readonly notificationId?: string;
  /** null or absent: the platform's own. */
  readonly tenantId?: string | null;
  readonly channel: Channel;
  /** One address, number, token or user, or many: then each becomes a notification of its own. */
  readonly to: string | readonly string[];
  /** Exactly one of `template` and `body`. */
  readonly template?: { readonly key: string; readonly version?: string; readonly locale?: string };
  readonly body?: { readonly subject?: string; readonly text?: string; readonly html?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly inApp?: InAppCopy;
  /** Epoch milliseconds, UTC; as are the others. */
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly requestedAt?: number;
  readonly priority?: string;
  readonly aggregateType?: string;
  readonly aggregateId?: string;
  readonly orgUnitId?: string;
  readonly trigger?: string;
  /** Without them: those of the delivery in whose context this is called, if any. */
  readonly correlationId?: string;
  readonly causationId?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** The request would end on the dead letter topic; nothing was sent. */
export class RequestRefused extends Error {
  readonly reason: Violation['reason'];
  readonly field: string | null;

  constructor({ reason, field, detail }: Violation) {
    super(detail);
    this.name = 'RequestRefused';
    this.reason = reason;
    this.field = field;
  }
}
