// Folds the answer of a call into the row. Total: any answer, own claim or not, late or not, gives a Change, or null when the row
// already says it. An answer that is not the claim's own is evidence: it never touches a claim or a budget.
import type { CallOutcome } from './call-outcome.ts';
import { honourCancel } from './cancel.ts';
import type { Change } from './change.ts';
import type { LastError } from './codes.ts';
import { changed } from './committed-row.ts';
import { failAttempt } from './failure.ts';
import { finish } from './finish.ts';
import type { Claim, Notification, NotificationState } from './notification.ts';
import type { RuleFacts } from './rule-facts.ts';
import { acceptLate, acceptMessage, acceptRecorded, recorded } from './sent.ts';
import { trailCode } from './trail.ts';
import { settleUnknown } from './unknown.ts';
import { unreachable } from './unreachable.ts';
import { hold, waitFor } from './wait.ts';

export interface CallAnswer {
  readonly cycle: number;
  readonly attempt: number;
  readonly claimToken: string;
  readonly providerKey: string;
  readonly outcome: CallOutcome;
}

/** How long a misconfigured provider is left alone before the row tries again, when its gate names no time. */
const MISCONFIGURED_WAIT_MS = 30_000;

const NOT_IMPLEMENTED: LastError = {
  code: 'NTF_PROVIDER_NOT_IMPLEMENTED',
  errorClass: 'not-implemented',
  providerCode: null,
};

export function settleAnswer(row: Notification, answer: CallAnswer, facts: RuleFacts): Change | null {
  return row.claim !== null && row.claim.token === answer.claimToken
    ? honourCancel(settleOwn(row, row.claim, answer, facts), facts)
    : settleLate(row, answer, facts);
}

function settleOwn(row: Notification, claim: Claim, answer: CallAnswer, facts: RuleFacts): Change {
  const { outcome } = answer;
  const answered: Notification = changed(row, { claim: null });
  if (outcome.kind !== 'accepted') {
    const usesNoAttempt = outcome.kind === 'misconfigured' || outcome.kind === 'not-implemented';
    const known = usesNoAttempt ? restoreAttempt(row, claim) : answered;
    const sent = acceptRecorded(outcome.kind === 'unknown' ? row : known, facts);
    if (sent !== null) return sent;
  }
  switch (outcome.kind) {
    case 'accepted':
      return acceptMessage(
        answered,
        {
          messageId: outcome.providerMessageId,
          cycle: answer.cycle,
          attempt: answer.attempt,
          how: 'accepted',
        },
        facts,
      );
    case 'transient':
      return failAttempt(answered, transientError(outcome.providerCode), 0, facts);
    case 'rate-limited':
      return failAttempt(answered, rateLimitedError(outcome.providerCode), outcome.retryAfterMs ?? 0, facts);
    case 'refused':
      return refuse(answered, outcome, row.lastAttemptAtMs, facts);
    case 'misconfigured':
      return giveBack(answered, claim, outcome.providerCode, facts);
    case 'unknown':
      return settleUnknown(
        row,
        {
          attempt: claim.attempt,
          providerKey: claim.providerKey,
          providerCode: outcome.providerCode,
          leaseEndMs: row.wakeAtMs ?? facts.nowMs,
        },
        facts,
      );
    case 'not-implemented':
      return hold(changed(restoreAttempt(row, claim), { lastError: NOT_IMPLEMENTED }), 'channel-stub', facts);
    default:
      return unreachable(outcome);
  }
}

/** The row moved on without this answer. `accepted` still ends an unclaimed, not-Sent row as Sent. */
function settleLate(row: Notification, answer: CallAnswer, facts: RuleFacts): Change | null {
  const { outcome } = answer;
  if (outcome.kind === 'accepted') {
    const { cycle, attempt, providerKey } = answer;
    const messageId = outcome.providerMessageId;
    return acceptLate(row, { messageId, cycle, attempt, how: 'late-accepted' }, providerKey, facts);
  }
  const isTheDoubt =
    row.claim === null &&
    row.final === null &&
    row.cycle === answer.cycle &&
    row.unknown?.attempt === answer.attempt;
  if (isTheDoubt && outcome.kind === 'refused')
    return refuse(row, outcome, row.unknown?.sinceMs ?? null, facts);
  if (outcome.kind === 'unknown') return null;
  return recorded(row, trailCode('late-answer', { n: answer.attempt, kind: outcome.kind }));
}

/** `calledAtMs`: when the call began that was refused. */
function refuse(
  row: NotificationState,
  outcome: Extract<CallOutcome, { kind: 'refused' }>,
  calledAtMs: number | null,
  facts: RuleFacts,
): Change {
  const errorClass = outcome.code === 'NTF_PROVIDER_BLOCKED' ? 'blocked' : 'refused';
  return finish(
    row,
    {
      status: 'Failed',
      reason: 'refused',
      error: { code: outcome.code, errorClass, providerCode: outcome.providerCode },
      providerMessageId: null,
      evidence: 'none',
      trail: trailCode('refused', { n: row.attempts, code: outcome.code, said: outcome.providerCode }),
      ...(outcome.code === 'NTF_PUSH_TOKEN_INVALID' && calledAtMs !== null
        ? { tokenInvalidSinceMs: calledAtMs }
        : {}),
    },
    facts,
  );
}

/** The channel's fault, not the notification's: the attempt is given back, and the gate keeps everybody away for a while. */
function giveBack(
  row: NotificationState,
  claim: Claim,
  providerCode: string | null,
  facts: RuleFacts,
): Change {
  const lastError: LastError = {
    code: 'NTF_PROVIDER_MISCONFIGURED',
    errorClass: 'misconfigured',
    providerCode,
  };
  const gate = facts.gateOf(claim.providerKey);
  const waitMs = gate.kind === 'closed' ? gate.waitMs : MISCONFIGURED_WAIT_MS;
  const trail = trailCode('misconfigured', { n: claim.attempt, said: providerCode, wait: waitMs });
  return waitFor(changed(restoreAttempt(row, claim), { lastError }), waitMs, trail, facts);
}

/** Attempts as before the claim; a takeover had not added one. */
export function restoreAttempt<R extends NotificationState>(row: R, claim: Claim): R {
  return changed(row, { claim: null, attempts: claim.takeovers > 0 ? row.attempts : row.attempts - 1 });
}

function transientError(providerCode: string | null): LastError {
  return { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode };
}

function rateLimitedError(providerCode: string | null): LastError {
  return { code: 'NTF_PROVIDER_RATE_LIMITED', errorClass: 'rate-limited', providerCode };
}
