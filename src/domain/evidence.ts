// Status is a fold over evidence: per provider message the highest verdict counts, in any order and any number of repeats.
// The list is bounded; messages that stand are kept longest.
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
  if (known === undefined) return added(evidence, news);
  if (rank(news.verdict) <= rank(known.verdict)) return evidence;
  const { messageId, cycle, attempt } = known;
  const raised: MessageEvidence = { ...news, messageId, cycle, attempt };
  return evidence.map((message) => (message === known ? raised : message));
}

/** The call that a message came from, told by that call itself: a report may have been without it. The same list (by identity) if it was known. */
export function withSource(
  evidence: readonly MessageEvidence[],
  { messageId, cycle, attempt }: Pick<MessageEvidence, 'messageId' | 'cycle' | 'attempt'>,
): readonly MessageEvidence[] {
  const known = evidence.find((message) => message.messageId === messageId);
  if (known === undefined || (known.cycle === cycle && known.attempt === attempt)) return evidence;
  return evidence.map((message) => (message === known ? { ...message, cycle, attempt } : message));
}

/** Whether the message can still reach (or has reached) the recipient. */
export function isStanding(message: MessageEvidence): boolean {
  return message.verdict === 'accepted' || message.verdict === 'delivered';
}

/** The newest message that stands; null when there is none. A row with one is Sent as soon as no claim is in the way. */
export function newestStanding(evidence: readonly MessageEvidence[]): MessageEvidence | null {
  return evidence.findLast(isStanding) ?? null;
}

/** Another accepted, not-failed message than `messageId`, the newest first; null when there is none. */
export function otherStanding(
  evidence: readonly MessageEvidence[],
  messageId: string,
): MessageEvidence | null {
  return evidence.findLast((message) => message.messageId !== messageId && isStanding(message)) ?? null;
}

/** Beyond the limit the oldest failed message goes, else the oldest; news of a failure never displaces a message that stands. */
function added(evidence: readonly MessageEvidence[], news: MessageEvidence): readonly MessageEvidence[] {
  if (evidence.length < MAX_MESSAGES) return [...evidence, news];
  const failed = evidence.findIndex((message) => !isStanding(message));
  if (failed === -1 && !isStanding(news)) return evidence;
  return [...evidence.toSpliced(Math.max(0, failed), 1), news];
}
