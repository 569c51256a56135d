// What an audit knows about one notification, collected from the topics, the table and perhaps a vendor's ledger, and what its rules
// answer. Plain facts: no rule here trusts a counter of the product.
import type { Notification } from '../domain/notification.ts';
import type { ProviderWebhook } from '../domain/provider-webhook.ts';

/**
 * S1 no second message, S2 one current final, S3 dispatched is complete, S10 no webhook is lost, S19 exhaustion is no dead letter, S22 Sent
 * has a message.
 */
export type AuditRule = 'conservation' | 'offsets' | 'S1' | 'S2' | 'S3' | 'S10' | 'S19' | 'S22';

export type Remark =
  | {
      readonly kind: 'violation';
      readonly rule: AuditRule;
      /** The notification, or `topic/partition/offset` of a record that names none. */
      readonly id: string;
      readonly expected: string;
      readonly found: string;
    }
  /** Counted by its reason: the sources do not say. */
  | { readonly kind: 'unjudged'; readonly why: string };

export type Violation = Extract<Remark, { kind: 'violation' }>;

/** A record of requested.v1 that is neither a dead letter nor in quarantine. */
export interface RequestFact {
  readonly partition: number;
  readonly offset: number;
  /** null: it breaks its contract. */
  readonly payloadHash: string | null;
  /** Below the committed offset of its partition: the group says that it is done with it. */
  readonly isCommitted: boolean;
}

/** A record of webhooks.v1 that can be read. */
export interface WebhookFact {
  readonly webhook: ProviderWebhook;
  /** `partition/offset`. */
  readonly place: string;
  readonly isCommitted: boolean;
  /** It is parked, or in quarantine with its reason. */
  readonly isKept: boolean;
}

export interface RowFact {
  readonly row: Notification;
  /** False of a purged notification, and of a place that a cancel keeps: webhooks change nothing there. */
  readonly hasRequest: boolean;
  /** Empty when its content was deleted by hand. */
  readonly payloadHash: string;
  /** The store's clock when the row was read, epoch ms. */
  readonly readAtMs: number;
}

/** What a record of dispatched.v1 says, in the order of FinalOutcome. */
export interface OutcomeSaid {
  readonly seq: number;
  readonly supersedes: number | null;
  readonly status: string;
  readonly reason: string;
  readonly cycle: number;
  readonly attempts: number;
  readonly providerMessageId: string | null;
}

/** All records of one (id, outcomeSeq). */
export interface OutcomeFact {
  readonly said: OutcomeSaid;
  /** Of key, value and ce_ headers of the first one. */
  readonly digest: string;
  readonly records: number;
  /** How many differ from the first. */
  readonly differing: number;
}

export interface DeadLetterFact {
  readonly place: string;
  readonly payloadHash: string;
}

export interface Subject {
  readonly requests: readonly RequestFact[];
  readonly deadLetters: readonly DeadLetterFact[];
  readonly webhooks: readonly WebhookFact[];
  readonly isQuarantined: boolean;
  readonly stored: RowFact | null;
  readonly outcomes: readonly OutcomeFact[];
  /** Messages that the vendor's ledger holds, by cycle; null without a ledger. */
  readonly messages: ReadonlyMap<number, number> | null;
}

export interface AuditScope {
  /** Nothing moves any more: every request is done and every row final or held. */
  readonly isQuiescent: boolean;
  /** A wake-up may be this late, ms. */
  readonly lateAfterMs: number;
  /** When the reading began, epoch ms; rows made later may come from records that were not read. */
  readonly startedAtMs: number;
  /** Time of the oldest request still in the topic, where older ones are gone; null: all are there. */
  readonly requestsSinceMs: number | null;
  /** The same of outcomes. */
  readonly outcomesSinceMs: number | null;
  /** False for a consumer that publishes no outcomes. */
  readonly judgesOutcomes: boolean;
  /** Providers whose next message replaces the one before. */
  readonly replacingProviders: ReadonlySet<string>;
}

export function violationOf(rule: AuditRule, id: string, expected: string, found: string): Violation {
  return { kind: 'violation', rule, id, expected, found };
}

export function unjudged(why: string): Remark {
  return { kind: 'unjudged', why };
}
