// A message that a provider accepted. What its evidence already says (a webhook may have come first) decides what it means for the row.
import type { Change } from './change.ts';
import type { LastError } from './codes.ts';
import { changed } from './committed-row.ts';
import { type CalledRow, doubtAbout, doubtLeft } from './doubt-left.ts';
import {
  foldEvidence,
  isStanding,
  newestStanding,
  otherStanding,
  verdictOf,
  withSource,
} from './evidence.ts';
import { failAttempt } from './failure.ts';
import { finish } from './finish.ts';
import type { FinalOutcome, MessageEvidence, Notification, NotificationState } from './notification.ts';
import { policyOf, type RuleFacts } from './rule-facts.ts';
import { trailCode } from './trail.ts';
import { unreachable } from './unreachable.ts';

export interface AcceptedMessage {
  readonly messageId: string;
  readonly cycle: number;
  readonly attempt: number;
  /** How we know: the call's answer, a late answer, a lookup, or a webhook. */
  readonly how: 'accepted' | 'late-accepted' | 'looked-up' | 'webhook';
}

/** A row of which the store said when its next attempt is planned. */
type PlannedRow = CalledRow & Pick<Notification, 'nextAttemptAtMs'>;

/**
 * An acceptance that no claim of the row waits for: the end of an unclaimed row that is not Sent, else evidence only. A Sent row without
 * a message that stands (it was assumed) makes it its current message. null: the row says it already.
 */
export function acceptLate(
  row: PlannedRow,
  message: AcceptedMessage,
  providerKey: string,
  facts: RuleFacts,
): Change | null {
  const { messageId } = message;
  const evidence = evidenceOf(row, message);
  if (evidence === row.evidence) return null;
  const isKnown = verdictOf(row.evidence, messageId) !== null;
  if (!isKnown && row.claim === null && row.status !== 'Sent')
    return acceptMessage(changed(row, { providerKey }), message, facts);
  const isCurrent = !isKnown && row.status === 'Sent' && !row.evidence.some(isStanding);
  const current = isCurrent ? { providerKey, providerMessageId: messageId } : {};
  return recorded(changed(row, { ...current, evidence }), acceptedTrail(message));
}

/** What was reported first may have been without its call; the call's own answer names it. */
function evidenceOf({ evidence }: NotificationState, message: AcceptedMessage): readonly MessageEvidence[] {
  const { messageId, cycle, attempt, how } = message;
  const folded = foldEvidence(evidence, { messageId, cycle, attempt, verdict: 'accepted' });
  return how === 'accepted' || how === 'late-accepted' ? withSource(folded, message) : folded;
}

/** Evidence only: nothing that is due or owed changes. */
export function recorded(next: NotificationState, trail: string): Change {
  return { next, wake: { kind: 'keep' }, isNextAttempt: false, trail };
}

/**
 * The end of a row whose evidence holds a message that stands (it was recorded beside a claim); null when none does. A claim that is still
 * in `row` is one whose call nobody answered.
 */
export function acceptRecorded(row: Notification, facts: RuleFacts): Change | null {
  const message = newestStanding(row.evidence);
  if (message === null) return null;
  const unknown = row.claim === null ? row.unknown : doubtAbout(row, row.claim, facts);
  return acceptMessage(changed(row, { claim: null, unknown }), { ...message, how: 'late-accepted' }, facts);
}

/** Makes the message current and derives the row from its verdict. */
export function acceptMessage(row: PlannedRow, message: AcceptedMessage, facts: RuleFacts): Change {
  const { messageId, cycle, attempt } = message;
  const evidence = evidenceOf(row, message);
  const unknown = doubtLeft(row, { cycle, attempt, isLast: message.how === 'accepted' }, facts);
  const known = changed(row, { final: null, evidence, providerMessageId: messageId, unknown });
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
    case 'failed-hard':
      return failMessage(known, messageId, facts);
    default:
      return unreachable(verdict);
  }
}

/**
 * The row's message did not arrive. Another one that stands becomes current and ends the row as Sent; else a hard failure, of it or of an
 * older message of the cycle, is terminal at once, and any other reopens the row: the next cycle, because the provider takes the same key
 * for the same message (its own while another message of it may be out), with the attempts that are left; none left is the end.
 */
export function failMessage(row: PlannedRow, messageId: string, facts: RuleFacts): Change {
  const other = otherStanding(row.evidence, messageId);
  if (other !== null) return acceptMessage(row, { ...other, how: 'late-accepted' }, facts);
  const own = row.evidence.find((message) => message.messageId === messageId);
  const { cycle, attempt } = own ?? { cycle: row.cycle, attempt: row.attempts };
  const unknown = doubtLeft(row, { cycle, attempt, isLast: false }, facts);
  const failed = changed(row, {
    claim: null,
    final: null,
    unknown,
    providerMessageId: messageId,
  });
  const isHard = ({ cycle, verdict }: MessageEvidence) => verdict === 'failed-hard' && cycle === row.cycle;
  const hard = own?.verdict === 'failed-hard' ? own : row.evidence.findLast(isHard);
  if (hard !== undefined) return endHard(failed, hard.messageId, hard.error ?? HARD, facts);
  return reopen(failed, messageId, own?.error ?? PASSING, facts);
}

/** What was planned before is not hurried: a provider may have asked for the wait. */
function reopen(row: PlannedRow, messageId: string, error: LastError, facts: RuleFacts): Change {
  const told = { evidence: 'failed-webhook', providerMessageId: messageId } as const;
  const isLast = row.attempts >= policyOf(row.channel, facts).maxAttempts;
  if (isLast) return failAttempt(row, error, 0, facts, told);
  const plannedInMs = Math.max(0, (row.nextAttemptAtMs ?? 0) - facts.nowMs);
  // What may still be out is replaced, or found out about, under the cycle that it was sent in.
  const cycle = row.unknown === null || row.unknown.resolution === 'resend' ? row.cycle + 1 : row.cycle;
  const message = messageId.slice(0, MAX_SHOWN_CHARS);
  return {
    ...failAttempt(changed(row, { cycle, outcome: leftBehind(row, cycle) }), error, plannedInMs, facts, told),
    trail: trailCode('reopened', { cycle, code: error.code, said: error.providerCode, message }),
  };
}

/** An assumed end is over. What was unknown of its cycle is known now, or may be told of in the next one. */
function leftBehind({ outcome, unknown, cycle }: NotificationState, nextCycle: number): FinalOutcome | null {
  if (outcome?.isUncertain !== true || nextCycle === cycle) return outcome;
  if (unknown !== null) return { ...outcome, wasRedrivenInDoubt: true };
  const { isUncertain: _, ...known } = outcome;
  return known;
}

const PASSING: LastError = { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: null };
const HARD: LastError = {
  code: 'NTF_PROVIDER_INVALID_RECIPIENT',
  errorClass: 'refused',
  providerCode: null,
};

function endHard(row: NotificationState, messageId: string, error: LastError, facts: RuleFacts): Change {
  return finish(
    row,
    {
      status: 'Failed',
      reason: 'failed-webhook',
      error,
      providerMessageId: messageId,
      evidence: 'failed-webhook',
      trail: trailCode('failed-webhook', {
        code: error.code,
        said: error.providerCode,
        message: messageId.slice(0, MAX_SHOWN_CHARS),
      }),
    },
    facts,
  );
}

/** Of an id in the trail. */
const MAX_SHOWN_CHARS = 40;

function acceptedTrail({ how, attempt, messageId }: AcceptedMessage): string {
  return trailCode(how, { n: attempt, message: messageId.slice(0, MAX_SHOWN_CHARS) });
}
