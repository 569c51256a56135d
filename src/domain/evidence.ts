// Status is a fold over evidence: per provider message the highest verdict counts, in any order and any number of repeats.
// The list is bounded; the current message and messages that may still count are kept longest.
import type { MessageEvidence, Verdict } from './notification.ts';
import { VERDICTS } from './notification.ts';

export const MAX_MESSAGES = 16;

const rank = (verdict: Verdict): number => VERDICTS.indexOf(verdict);

export function verdictOf(evidence: readonly MessageEvidence[], messageId: string): Verdict | null {
  return evidence.find((message) => message.messageId === messageId)?.verdict ?? null;
}

/** Adds one piece of evidence; the same list (by identity) when it says nothing new. */
export function foldEvidence(
  evidence: readonly MessageEvidence[],
  news: MessageEvidence,
): readonly MessageEvidence[] {
  const known = evidence.find((message) => message.messageId === news.messageId);
  if (known === undefined) return bounded([...evidence, news]);
  if (rank(news.verdict) <= rank(known.verdict)) return evidence;
  return evidence.map((message) => (message === known ? { ...known, verdict: news.verdict } : message));
}

/** Whether the message can still reach (or has reached) the recipient. */
export function isStanding(message: MessageEvidence): boolean {
  return message.verdict === 'accepted' || message.verdict === 'delivered';
}

/** Another accepted, not-failed message than `messageId`, the newest first; null when there is none. */
export function otherStanding(
  evidence: readonly MessageEvidence[],
  messageId: string,
): MessageEvidence | null {
  return evidence.findLast((message) => message.messageId !== messageId && isStanding(message)) ?? null;
}

function bounded(evidence: readonly MessageEvidence[]): readonly MessageEvidence[] {
  if (evidence.length <= MAX_MESSAGES) return evidence;
  const failed = evidence.findIndex((message) => !isStanding(message));
  const dropped = failed === -1 ? 0 : failed;
  return evidence.filter((_, index) => index !== dropped);
}
