// An attempt whose answer nobody has. What its provider can do decides: the same key again, ask first, replace, or the policy.
// The provider is always the one recorded in the claim; a changed ProviderKey waits for a certain failure.
import { backoffMs } from './backoff.ts';
import type { LookupAnswer, ProviderFacts } from './call-outcome.ts';
import type { Change } from './change.ts';
import type { LastError } from './codes.ts';
import { changed } from './committed-row.ts';
import { doubtIncluding, isOlderThanTheLastCall } from './doubt-left.ts';
import { failAttempt } from './failure.ts';
import { expire } from './finish.ts';
import type { Notification, NotificationState, UnknownAttempt } from './notification.ts';
import { policyOf, type RuleFacts } from './rule-facts.ts';
import { acceptLate, acceptMessage } from './sent.ts';
import { trailCode } from './trail.ts';
import { settleByPolicy, UNCERTAIN, waitUncertain } from './unknown-policy.ts';
import { unreachable } from './unreachable.ts';
import { waitFor } from './wait.ts';

export interface LostCall {
  readonly attempt: number;
  readonly providerKey: string;
  readonly providerCode: string | null;
  /** When the lease of the lost call ends, epoch ms. A lookup's `absent` counts only after it. */
  readonly leaseEndMs: number;
}

/** Marks the attempt as unknown and chooses what ends the doubt. */
export function settleUnknown(row: Notification, lost: LostCall, facts: RuleFacts): Change {
  const policy = policyOf(row.channel, facts);
  const lastError: LastError = { ...UNCERTAIN, providerCode: lost.providerCode };
  const uncertain: NotificationState = changed(row, { status: 'Failed', claim: null, hold: null, lastError });
  const mark = doubtIncluding(row, lost, facts);
  const { sinceMs } = mark;
  const provider = facts.providers.get(lost.providerKey) ?? null;
  const backoffWaitMs = backoffMs(policy.backoff, Math.max(1, row.attempts), facts.fraction);
  const byPolicy = () => settleByPolicy(uncertain, { resolution: 'held', ...mark }, facts);
  // Calls were given up before this one, perhaps another provider's: what this one says of a message says nothing of theirs.
  const isResent = mark.isResent === true;
  if (provider === null) return byPolicy();
  switch (provider.capability) {
    case 'key':
    case 'replace': {
      const isSafe = isWithinWindow(provider, sinceMs, facts.nowMs + backoffWaitMs + facts.leaseMs);
      if (isResent || !isSafe || row.attempts >= policy.maxAttempts) return byPolicy();
      return waitUncertain(uncertain, { resolution: 'retry', ...mark }, backoffWaitMs, true, facts);
    }
    case 'lookup': {
      const waitMs = Math.max(0, lost.leaseEndMs + provider.visibilityDelayMs - facts.nowMs);
      if (!isWithinWindow(provider, sinceMs, facts.nowMs + waitMs + provider.deadlineMs)) return byPolicy();
      return waitUncertain(uncertain, { resolution: 'look-up', ...mark }, waitMs, false, facts);
    }
    case 'none':
      return byPolicy();
    default:
      return unreachable(provider.capability);
  }
}

/**
 * Folds what the provider said when asked by our reference about `asked`. `found` always counts; the rest only while the row has that
 * doubt still. null: it says nothing new.
 */
export function settleLookup(
  row: Notification,
  asked: UnknownAttempt,
  answer: LookupAnswer,
  facts: RuleFacts,
): Change | null {
  const { attempt, sinceMs, providerKey } = asked;
  const { unknown } = row;
  const isAskedStill =
    row.claim === null &&
    unknown?.resolution === 'look-up' &&
    unknown.attempt === attempt &&
    unknown.sinceMs === sinceMs;
  if (answer.kind === 'found') {
    const { providerMessageId: messageId } = answer;
    const message = { messageId, cycle: row.cycle, attempt, how: 'looked-up' } as const;
    return isAskedStill ? acceptMessage(row, message, facts) : acceptLate(row, message, providerKey, facts);
  }
  if (!isAskedStill) return null;
  if (answer.kind === 'unavailable') return askAgain(row, unknown, answer.providerCode, facts);
  // notAfter may have cut the wait for an absent that counts, and no attempt starts after it: it ends without a verdict on the call.
  if (row.notAfterMs !== null && row.notAfterMs <= facts.nowMs) return expire(row, facts);
  return failAttempt(changed(row, { unknown: doubtBeside(row, asked) }), notSent(row), 0, facts);
}

/** What stays in doubt when the call that was asked about is absent: calls before it were given up, perhaps another provider's. */
function doubtBeside(row: Notification, asked: UnknownAttempt): UnknownAttempt | null {
  return isOlderThanTheLastCall(asked, row) ? { ...asked, resolution: 'resend' } : null;
}

/** The question failed. It is asked again for a while, and not after notAfter. */
function askAgain(
  row: Notification,
  unknown: UnknownAttempt,
  providerCode: string | null,
  facts: RuleFacts,
): Change {
  const policy = policyOf(row.channel, facts);
  const waitMs = backoffMs(policy.backoff, Math.max(1, row.attempts), facts.fraction);
  const askedForMs = facts.nowMs + waitMs - unknown.sinceMs;
  const isTooLate =
    askedForMs > Math.max(policy.holdUntilMs, policy.backoff.capMs) ||
    (row.notAfterMs !== null && row.notAfterMs <= facts.nowMs);
  if (isTooLate) return settleByPolicy(row, unknown, facts);
  return waitFor(row, waitMs, trailCode('look-up-unavailable', { said: providerCode, wait: waitMs }), facts);
}

function notSent(row: Notification): LastError {
  const providerCode = row.lastError?.providerCode ?? null;
  return { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode };
}

/** Whether the provider makes the same call again harmless, from now until a lease made now is over. */
export function canRepeat(provider: ProviderFacts | undefined, sinceMs: number, facts: RuleFacts): boolean {
  if (provider === undefined) return false;
  const { capability } = provider;
  const isHarmless = capability === 'key' || capability === 'replace';
  return isHarmless && isWithinWindow(provider, sinceMs, facts.nowMs + facts.leaseMs);
}

/** Whether the provider can be asked now what became of a call. */
export function canLookUp(provider: ProviderFacts | undefined, sinceMs: number, facts: RuleFacts): boolean {
  if (provider?.capability !== 'lookup') return false;
  return isWithinWindow(provider, sinceMs, facts.nowMs + provider.deadlineMs);
}

/** Whether the provider's promise (same key, or lookup) still holds for a question that is over at `endMs`. */
function isWithinWindow(provider: ProviderFacts, sinceMs: number, endMs: number): boolean {
  return provider.windowMs === null || endMs - sinceMs < provider.windowMs;
}
