// A provider's report meets the row. Per message the highest verdict counts and the row follows from it, so any order and any number of
// repeats come to the same. It never touches a claim that is not certainly answered, and never starts a timer again for nothing.

import { honourCancel } from './cancel.ts';
import type { Change } from './change.ts';
import { changed } from './committed-row.ts';
import { doubtOf, isReplacedInDoubt } from './doubt-left.ts';
import { foldEvidence, isStanding, otherStanding, verdictOf } from './evidence.ts';
import type { Claim, MessageEvidence, Notification, UnknownAttempt } from './notification.ts';
import { owesOutcome } from './obligation.ts';
import type { ProviderWebhook } from './provider-webhook.ts';
import type { RuleFacts } from './rule-facts.ts';
import { acceptMessage, failMessage, recorded } from './sent.ts';
import { trailCode } from './trail.ts';
import { newsOf, stampedBy } from './webhook-news.ts';

export type WebhookIgnored =
  /** The row says it already, or something higher about the same message. */
  | 'repeat'
  /** It names no message, and the row cannot tell which one is meant. */
  | 'no-message';

export type WebhookPlan =
  /** Owes an outcome: publish it first. */
  | { readonly kind: 'publish' }
  | { readonly kind: 'apply'; readonly change: Change }
  | { readonly kind: 'ignore'; readonly reason: WebhookIgnored };

/** A row, and what a webhook makes of its evidence. */
interface Told {
  readonly webhook: ProviderWebhook;
  readonly message: MessageEvidence;
  /** The call that the webhook answers: nobody else answered it. */
  readonly answers: Answered;
  /** Stamps and evidence are in it; nothing is derived from them yet. */
  readonly row: Notification;
  readonly before: Notification;
}

/** `either`: the claim's call or one in doubt, and nobody can tell which. */
type Answered = 'claim' | 'doubt' | 'either' | null;

export function planWebhook(row: Notification, webhook: ProviderWebhook, facts: RuleFacts): WebhookPlan {
  if (owesOutcome(row)) return { kind: 'publish' };
  const stamped = stampedBy(row, webhook);
  const stampsOnly = (otherwise: WebhookIgnored): WebhookPlan =>
    stamped === row
      ? { kind: 'ignore', reason: otherwise }
      : { kind: 'apply', change: recorded(stamped, trailOf(webhook)) };
  const source = messageOf(row, webhook);
  const answers = source === null ? null : answered(row, webhook, source.messageId);
  const news = newsOf(webhook) ?? (answers === null ? null : ({ verdict: 'accepted' } as const));
  if (news === null) return stampsOnly('repeat');
  if (source === null) return stampsOnly('no-message');
  const message: MessageEvidence = { ...source, ...news };
  const evidence = foldEvidence(stamped.evidence, message);
  if (evidence === stamped.evidence) return stampsOnly('repeat');
  const told = { webhook, message, answers, row: { ...stamped, evidence }, before: row };
  const change = isStanding(message) ? stand(told, facts) : fall(told, facts);
  return { kind: 'apply', change: honourCancel(change, facts) };
}

/** The message arrived, or was at least accepted: a row that is not Sent ends as Sent, unless somebody's call is in flight. */
function stand(told: Told, facts: RuleFacts): Change {
  const { webhook, message, answers, row, before } = told;
  if (row.status === 'Sent') {
    const isOnly = !before.evidence.some(isStanding);
    const current = isOnly ? { providerKey: webhook.provider, providerMessageId: message.messageId } : {};
    return recorded(changed(row, current), trailOf(webhook));
  }
  // The end of that call finds the message.
  if (row.claim !== null && answers !== 'claim') return recorded(row, trailOf(webhook));
  const owned = changed(row, { claim: null, providerKey: webhook.provider });
  return { ...acceptMessage(owned, { ...message, how: 'webhook' }, facts), trail: trailOf(webhook) };
}

/** The message failed. Only the row's own message, or the answer to a call that nobody else answered, changes what becomes of the row. */
function fall(told: Told, facts: RuleFacts): Change {
  const { webhook, message, answers, row } = told;
  if (!isDecisive(told) || isOneOfSeveral(told, facts)) return recorded(row, trailOf(webhook));
  const next = row.status === 'Sent' ? otherStanding(row.evidence, message.messageId) : null;
  if (next !== null)
    return recorded(changed(row, { providerMessageId: next.messageId }), trailOf(webhook, next.messageId));
  const providerKey = answers === null ? row.providerKey : webhook.provider;
  return failMessage(changed(row, { claim: null, providerKey }), message.messageId, facts);
}

function isDecisive({ message, answers, row, before }: Told): boolean {
  const isCurrent = message.messageId === row.providerMessageId;
  if (row.status === 'Sent') return isCurrent || isAssumedMessage(before, message);
  if (row.final !== null) return false;
  if (answers !== null) return row.claim === null || answers === 'claim';
  // The failure that reopened the row may still turn out to be a hard one, its own or that of another message of its cycle.
  const reopenedBy = row.evidence.find(({ messageId }) => messageId === row.providerMessageId);
  const isHardToo = message.verdict === 'failed-hard' && message.cycle === reopenedBy?.cycle;
  return (isCurrent || isHardToo) && row.claim === null && row.unknown === null;
}

/**
 * That one of several such messages failed says nothing of the others. A message that was replaced may be told of still: where no attempt is
 * named it may be any of them.
 */
function isOneOfSeveral({ webhook, answers, before }: Told, facts: RuleFacts): boolean {
  if (answers === 'doubt' && isReplacedInDoubt(before, facts)) return true;
  const replaces = facts.providers.get(webhook.provider)?.capability === 'replace';
  return answers !== null && replaces && webhook.attempt === null && before.attempts > 1;
}

/** A row that was only assumed to be Sent has no message yet: the first that is told of is its own. */
function isAssumedMessage(row: Notification, { messageId, cycle }: MessageEvidence): boolean {
  return (
    row.final === 'assumed' &&
    cycle === row.cycle &&
    verdictOf(row.evidence, messageId) === null &&
    !row.evidence.some(isStanding)
  );
}

/**
 * While an attempt is claimed or in doubt, a report with our reference about a message that nobody recorded is its answer. Where several
 * calls may be meant and the vendor echoes no attempt, it is of either: the claim goes on, and its end finds the evidence.
 */
function answered(row: Notification, webhook: ProviderWebhook, messageId: string): Answered {
  const { claim, unknown } = row;
  const isNews = verdictOf(row.evidence, messageId) === null;
  if (!isNews || !isOfThisCycle(row, webhook.cycle)) return null;
  if (claim !== null) return answeredBesideClaim(claim, unknown, webhook);
  return isMeant(unknown ?? openAtTheEnd(row), webhook) ? 'doubt' : null;
}

/** A row that ended while nobody knew whether a call was accepted is still told, also one that is Sent by another message. */
function openAtTheEnd(row: Notification): OneCall {
  const { final, outcome, attempts: attempt, providerKey } = row;
  if (final === null) return null;
  const isOpen = outcome?.isUncertain === true && providerKey !== null;
  return doubtOf(row) ?? (isOpen ? { attempt, providerKey } : null);
}

/** Without an echo it may be of an older cycle that was redriven while nobody knew whether its last call was accepted. */
function isOfThisCycle({ cycle, outcome }: Notification, told: number | null): boolean {
  if (told !== null) return told === cycle;
  if (outcome?.wasRedrivenInDoubt === true) return false;
  return outcome === null || outcome.cycle === cycle || outcome.isUncertain !== true;
}

function answeredBesideClaim(
  claim: Claim,
  unknown: UnknownAttempt | null,
  webhook: ProviderWebhook,
): Answered {
  const { attempt } = webhook;
  const isTold = attempt !== null && attempt !== unknown?.attempt;
  const isOnlyCall = unknown === null || isTold;
  if (isOnlyCall && isMeant(claim, webhook)) return 'claim';
  if (attempt !== null) return isMeant(unknown, webhook) ? 'doubt' : null;
  return isMeant(claim, webhook) || isMeant(unknown, webhook) ? 'either' : null;
}

type OneCall = { readonly attempt: number; readonly providerKey: string } | null;

function isMeant(call: OneCall, { provider, attempt }: ProviderWebhook): boolean {
  return call !== null && provider === call.providerKey && (attempt === null || attempt === call.attempt);
}

type Source = Pick<MessageEvidence, 'messageId' | 'cycle' | 'attempt'>;

/** Which message is meant. A vendor without ids of its own means the row's message, else the call of that cycle and attempt. */
function messageOf(row: Notification, webhook: ProviderWebhook): Source | null {
  const { providerMessageId } = webhook;
  const cycle = webhook.cycle ?? row.cycle;
  const attempt = webhook.attempt ?? attemptMeant(row, webhook);
  if (providerMessageId !== null)
    return knownSource(row, providerMessageId) ?? { messageId: providerMessageId, cycle, attempt };
  const own = row.providerMessageId === null ? null : knownSource(row, row.providerMessageId);
  const isOwn = own !== null && own.cycle === cycle && (webhook.attempt === null || own.attempt === attempt);
  if (isOwn) return own;
  const isNamed = webhook.cycle !== null && webhook.attempt !== null;
  if (!isNamed && row.claim === null && row.unknown === null) return own;
  const messageId = `${row.id}:${cycle}:${attempt}`;
  return knownSource(row, messageId) ?? { messageId, cycle, attempt };
}

/** Of a report that names none: where calls of its provider are in doubt it is taken for one of them, for that leaves the others in doubt. */
function attemptMeant(row: Notification, { provider }: ProviderWebhook): number {
  const doubt = doubtOf(row);
  if (doubt?.providerKey === provider) return doubt.attempt;
  return row.claim?.attempt ?? row.attempts;
}

function knownSource(row: Notification, messageId: string): Source | null {
  const known = row.evidence.find((message) => message.messageId === messageId);
  return known === undefined ? null : { messageId, cycle: known.cycle, attempt: known.attempt };
}

function trailOf(
  { verdict, providerMessageId, errorCode }: ProviderWebhook,
  next: string | null = null,
): string {
  const shown = (id: string | null) => id?.slice(0, MAX_SHOWN_CHARS) ?? null;
  return trailCode('webhook', {
    verdict,
    message: shown(providerMessageId),
    said: errorCode,
    next: shown(next),
  });
}

const MAX_SHOWN_CHARS = 40;
