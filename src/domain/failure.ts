// What follows a call that certainly failed: the next attempt by backoff, or the end of the budget.
import { backoffMs } from './backoff.ts';
import type { Change } from './change.ts';
import type { LastError } from './codes.ts';
import { changed } from './committed-row.ts';
import { finish } from './finish.ts';
import type { Evidence, NotificationState } from './notification.ts';
import { policyOf, type RuleFacts } from './rule-facts.ts';
import { trailCode } from './trail.ts';
import { settleByPolicy } from './unknown-policy.ts';
import { boundedWait } from './wait.ts';

/** What an exhausted budget rests on. */
export interface FailureTold {
  readonly evidence: Evidence;
  readonly providerMessageId: string | null;
}

const BY_ANSWER: FailureTold = { evidence: 'none', providerMessageId: null };

/**
 * `minWaitMs`: a provider's Retry-After; counts in full, beyond the backoff cap. An earlier attempt that is still unknown stays
 * marked: a later certain failure says nothing about it, so an exhausted budget then ends by the unknown policy.
 */
export function failAttempt(
  row: NotificationState,
  error: LastError,
  minWaitMs: number,
  facts: RuleFacts,
  told: FailureTold = BY_ANSWER,
): Change {
  const policy = policyOf(row.channel, facts);
  const failed: NotificationState = changed(row, {
    status: 'Failed',
    claim: null,
    hold: null,
    lastError: error,
  });
  if (row.attempts >= policy.maxAttempts) return endBudget(failed, error, facts, told);
  const backoffWaitMs = backoffMs(policy.backoff, row.attempts, facts.fraction);
  const spreadMs = Math.ceil(minWaitMs * 0.1 * facts.fraction);
  const waitMs = Math.max(backoffWaitMs, minWaitMs + Math.min(spreadMs, policy.backoff.baseMs));
  const { wake, endsAtNotAfter } = boundedWait(failed, waitMs, facts);
  return {
    next: failed,
    wake,
    isNextAttempt: !endsAtNotAfter,
    trail: trailCode(error.errorClass, {
      n: row.attempts,
      code: error.code,
      said: error.providerCode,
      wait: waitMs,
    }),
  };
}

/** No attempt is left. Where every call certainly failed that is the end; while one may have been accepted, the unknown policy decides. */
export function endBudget(
  row: NotificationState,
  error: LastError | null,
  facts: RuleFacts,
  told: FailureTold = BY_ANSWER,
): Change {
  return row.unknown === null ? exhaust(row, error, facts, told) : settleByPolicy(row, row.unknown, facts);
}

/** The budget is used up: terminal Failed, told once; it never goes to a dead letter topic. */
function exhaust(
  row: NotificationState,
  error: LastError | null,
  facts: RuleFacts,
  { evidence, providerMessageId }: FailureTold,
): Change {
  return finish(
    row,
    {
      status: 'Failed',
      reason: 'exhausted',
      error: error ?? { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: null },
      providerMessageId,
      evidence,
      trail: trailCode('exhausted', {
        n: row.attempts,
        code: error?.code ?? null,
        said: error?.providerCode ?? null,
      }),
    },
    facts,
  );
}
