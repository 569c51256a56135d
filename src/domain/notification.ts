// The row: everything that is known and everything that is still owed about one notification.
// Obligations are columns: `wakeAtMs` (something must happen by then), `claim` (a call may be in flight), `hold` (nothing until its
// cause ends), `publishedSeq < outcomeSeq` (an outcome that the topic has not acknowledged). Status changes only through the rules.
import type { Channel } from './channel.ts';
import type { LastError } from './codes.ts';
import type { Hold } from './hold.ts';
import type { NotificationId } from './notification-id.ts';

export type Status = 'Pending' | 'Failed' | 'Sent';

export type FinalReason =
  | 'accepted'
  | 'delivered'
  | 'assumed'
  | 'exhausted'
  | 'refused'
  | 'failed-webhook'
  | 'unknown-outcome'
  | 'expired'
  | 'cancelled';

/** A call that may be in flight. Its lease ends at the row's `wakeAtMs`. */
export interface Claim {
  /** uuid, made before the first try of the claim's flush. */
  readonly token: string;
  readonly attempt: number;
  readonly providerKey: string;
  /** How often this attempt number was claimed again after a lease ended without an answer. */
  readonly takeovers: number;
}

/** An attempt that may have been accepted. It stays until evidence, a certain answer or the policy ends it. */
export interface UnknownAttempt {
  readonly attempt: number;
  readonly providerKey: string;
  /** When the earliest of the unresolved calls started; the provider's window counts from here. */
  readonly sinceMs: number;
  /** `retry`: the same key again at wake; `resend`: again by policy, a possible duplicate; `look-up`: ask first; `held`: wait for a webhook, finalise at wake. */
  readonly resolution: 'retry' | 'resend' | 'look-up' | 'held';
  /** Some of the calls were given up by `resend` before another resolution was chosen: what becomes of one says nothing of them. */
  readonly isResent?: true;
}

/** Verdicts of one provider message, lowest to highest. */
export const VERDICTS = ['accepted', 'failed-transient', 'delivered', 'failed-hard'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface MessageEvidence {
  readonly messageId: string;
  readonly cycle: number;
  readonly attempt: number;
  readonly verdict: Verdict;
  /** Why it failed, as its webhook told. */
  readonly error?: LastError;
}

export type Evidence = 'accepted' | 'delivered' | 'failed-webhook' | 'assumed' | 'none';

/** What the decision fixed about a final outcome; together with immutable content it makes the dispatched record, byte for byte. */
export interface FinalOutcome {
  /** Version of the dispatched schema that this outcome is always encoded with. */
  readonly schemaVersion: number;
  readonly seq: number;
  readonly supersedes: number | null;
  readonly status: 'Sent' | 'Failed';
  readonly reason: FinalReason;
  readonly providerKey: string | null;
  readonly cycle: number;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly providerMessageId: string | null;
  readonly error: LastError | null;
  readonly evidence: Evidence;
  /** A call of the cycle may have been accepted all the same: only a forced redrive sends again. Not published. */
  readonly isUncertain?: true;
  /** Calls before the one that decided, of which nobody knows; see doubt-left.ts. Not published. */
  readonly doubt?: UnknownAttempt;
  /**
   * It, or an outcome before it, was redriven by force, or reopened, while nobody knew: what is told without a cycle may be about a
   * message of an earlier one. Not published.
   */
  readonly wasRedrivenInDoubt?: true;
  /** NTF_PUSH_TOKEN_INVALID: when the call that learnt it began, by the store's clock. Not published. */
  readonly tokenInvalidSinceMs?: number;
}

/** The part that rules decide. Times in it are facts that the rules only copy. */
export interface NotificationState {
  readonly id: NotificationId;
  readonly tenantId: string | null;
  readonly channel: Channel;
  readonly status: Status;
  /** An explicit fact with its reason, never guessed from counters. */
  readonly final: FinalReason | null;
  readonly cycle: number;
  /** Calls of this budget including the first; a claim counts. */
  readonly attempts: number;
  readonly claim: Claim | null;
  readonly unknown: UnknownAttempt | null;
  readonly hold: Hold | null;
  readonly lastError: LastError | null;
  /** The provider of the last claim. */
  readonly providerKey: string | null;
  /** The current provider message: of the last attempt that was accepted, while no other attempt began. */
  readonly providerMessageId: string | null;
  /** Bounded; see evidence.ts. */
  readonly evidence: readonly MessageEvidence[];
  readonly outcome: FinalOutcome | null;
  readonly outcomeSeq: number;
  readonly publishedSeq: number;
  /** Whose inbox it may come to; null: nobody's. */
  readonly inAppUserId: string | null;
  readonly inAppStatus: 'none' | 'waiting' | 'arrived';
  readonly readAtMs: number | null;
  /** Four times by the provider's clock, the earliest that it named: delivered, opened, complained about, unsubscribed. */
  readonly deliveredAtMs: number | null;
  readonly seenAtMs: number | null;
  readonly complainedAtMs: number | null;
  readonly unsubscribedAtMs: number | null;
  /** When an operator acknowledged the terminal failure. */
  readonly closedAtMs: number | null;
  /** Who asked to cancel while a call was in flight: it ends when that call has not been accepted. */
  readonly cancelBy: string | null;
  /** The last commands that were answered, oldest first; see command.ts. */
  readonly commandIds: readonly string[];
  readonly notBeforeMs: number | null;
  readonly notAfterMs: number | null;
  readonly requestedAtMs: number;
}

/** A committed row. Everything below is set by the store, by Postgres' clock. */
export interface Notification extends NotificationState {
  readonly version: number;
  /** Whole milliseconds, rounded up; null: nothing is due. */
  readonly wakeAtMs: number | null;
  /** Changes only with `wakeAtMs`. */
  readonly wakeSeq: number;
  /** True: a wake-up record carries it. False: only the sweeper finds it. */
  readonly wakeInLog: boolean;
  /** When the next (or the last scheduled) attempt may start. */
  readonly nextAttemptAtMs: number | null;
  readonly createdAtMs: number;
  readonly firstAttemptAtMs: number | null;
  readonly lastAttemptAtMs: number | null;
  /** When the current outcome was decided. */
  readonly outcomeAtMs: number | null;
  /** One line per write, `epochMs code`, oldest dropped beyond 2 KB; see trail.ts. */
  readonly trail: string;
}
