// A message that a provider accepted. What its evidence already says (a webhook may have come first) decides what it means for the row.
import type { Change } from './change.ts';
import { foldEvidence, isStanding, standingIn, verdictOf } from './evidence.ts';
import { failAttempt } from './failure.ts';
import { finish } from './finish.ts';
import type { NotificationState } from './notification.ts';
import type { RuleFacts } from './rule-facts.ts';
import { trailCode } from './trail.ts';
import { unreachable } from './unreachable.ts';

export interface AcceptedMessage {
  readonly messageId: string;
  readonly cycle: number;
  readonly attempt: number;
  /** How we know: the call's answer, a late answer, or a lookup. */
  readonly how: 'accepted' | 'late-accepted' | 'looked-up';
}

/**
 * An acceptance that no claim of the row waits for: the end of an unclaimed row that is not Sent, else evidence only. A Sent row without
 * a message that stands (it was assumed) makes it its current message. null: the row says it already.
 */
export function acceptLate(
  row: NotificationState,
  message: AcceptedMessage,
  providerKey: string,
  facts: RuleFacts,
): Change | null {
  const { messageId, cycle, attempt } = message;
  const evidence = foldEvidence(row.evidence, { messageId, cycle, attempt, verdict: 'accepted' });
  if (evidence === row.evidence) return null;
  if (row.claim === null && row.status !== 'Sent')
    return acceptMessage({ ...row, providerKey }, message, facts);
  const isCurrent = row.status === 'Sent' && !row.evidence.some(isStanding);
  const current = isCurrent ? { providerKey, providerMessageId: messageId } : {};
  return recorded({ ...row, ...current, evidence }, acceptedTrail(message));
}

/** Evidence only: nothing that is due or owed changes. */
export function recorded(next: NotificationState, trail: string): Change {
  return { next, wake: { kind: 'keep' }, isNextAttempt: false, trail };
}

/** The end of a row whose evidence holds a message of its cycle that stands (it was recorded beside a claim); null when none does. */
export function acceptRecorded(row: NotificationState, facts: RuleFacts): Change | null {
  const message = standingIn(row.evidence, row.cycle);
  return message === null ? null : acceptMessage(row, { ...message, how: 'late-accepted' }, facts);
}

/** Makes the message current and derives the row from its verdict. */
export function acceptMessage(row: NotificationState, message: AcceptedMessage, facts: RuleFacts): Change {
  const { messageId, cycle, attempt } = message;
  const evidence = foldEvidence(row.evidence, { messageId, cycle, attempt, verdict: 'accepted' });
  const known: NotificationState = { ...row, evidence, providerMessageId: messageId, unknown: null };
  const verdict = verdictOf(evidence, messageId) ?? 'accepted';
  const trail = acceptedTrail(message);
  switch (verdict) {
    case 'accepted':
      return finish(
        known,
        {
          status: 'Sent',
          reason: 'accepted',
          error: null,
          providerMessageId: messageId,
          evidence: 'accepted',
          trail,
        },
        facts,
      );
    case 'delivered':
      return finish(
        known,
        {
          status: 'Sent',
          reason: 'delivered',
          error: null,
          providerMessageId: messageId,
          evidence: 'delivered',
          trail,
        },
        facts,
      );
    case 'failed-transient':
      return failAttempt(
        known,
        { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: null },
        0,
        facts,
      );
    case 'failed-hard':
      return finish(
        known,
        {
          status: 'Failed',
          reason: 'failed-webhook',
          error: { code: 'NTF_PROVIDER_INVALID_RECIPIENT', errorClass: 'refused', providerCode: null },
          providerMessageId: messageId,
          evidence: 'failed-webhook',
          trail,
        },
        facts,
      );
    default:
      return unreachable(verdict);
  }
}

function acceptedTrail({ how, attempt, messageId }: AcceptedMessage): string {
  return trailCode(how, { n: attempt, message: messageId.slice(0, 40) });
}
