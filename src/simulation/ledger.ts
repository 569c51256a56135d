// The vendors' own books: every call that reached them and every message that they put out. The oracle that the product cannot influence.
import type { Verdict } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';

export interface LedgerCall {
  readonly atMs: number;
  /** When the process asked for it: its deadline runs from there. */
  readonly askedAtMs: number;
  readonly by: string;
  readonly reference: NotificationId;
  readonly cycle: number;
  readonly attempt: number;
  readonly providerKey: string;
  readonly idempotencyKey: string;
  /** What the vendor said; null while it has said nothing. */
  said: string | null;
  saidAtMs: number;
  retryAfterMs: number | null;
  /** True when the answer arrived in the process that called. */
  isHeard: boolean;
  /** True when the process took that answer: it had not given up before. */
  isInTime: boolean;
  /** Of the message that it was told of. */
  messageId: string | null;
}

export interface LedgerMessage {
  readonly messageId: string;
  readonly atMs: number;
  readonly reference: NotificationId;
  readonly cycle: number;
  readonly attempt: number;
  readonly providerKey: string;
  readonly idempotencyKey: string;
  readonly recipient: string;
  /** Another one took its place on the recipient's screen. */
  isReplaced: boolean;
  /** The vendor's own last word about it. */
  verdict: Verdict;
}

export interface Ledger {
  readonly calls: LedgerCall[];
  readonly messages: LedgerMessage[];
}

export function openLedger(): Ledger {
  return { calls: [], messages: [] };
}

/** Messages that reached, or may still reach, the recipient. */
export function standingMessages(ledger: Ledger, id: NotificationId): readonly LedgerMessage[] {
  return ledger.messages.filter(
    (message) => message.reference === id && !message.isReplaced && !hasFailed(message),
  );
}

export function hasFailed({ verdict }: LedgerMessage): boolean {
  return verdict === 'failed-transient' || verdict === 'failed-hard';
}
