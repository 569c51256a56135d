// A message that a provider accepted. What its evidence already says (a webhook may have come first) decides what it means for the row.
import type { Change } from './change.ts';
import { foldEvidence, standingIn, verdictOf } from './evidence.ts';
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
  const trail = trailCode(message.how, { n: attempt, message: messageId.slice(0, 40) });
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
