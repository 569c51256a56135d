// The channel's answer when nothing can tell whether a call was accepted: wait for a webhook, assume, or send again.
import { backoffMs } from './backoff.ts';
import type { Change } from './change.ts';
import type { LastError } from './codes.ts';
import { changed } from './committed-row.ts';
import { resolvedBy } from './doubt-left.ts';
import { finish } from './finish.ts';
import type { NotificationState, UnknownAttempt } from './notification.ts';
import { policyOf, type RuleFacts } from './rule-facts.ts';
import { trailCode } from './trail.ts';
import { unreachable } from './unreachable.ts';
import { boundedWait } from './wait.ts';

/** What the row shows while nobody knows. */
export const UNCERTAIN: LastError = {
  code: 'NTF_PROVIDER_TRANSIENT',
  errorClass: 'unknown',
  providerCode: null,
};

export function settleByPolicy(row: NotificationState, unknown: UnknownAttempt, facts: RuleFacts): Change {
  const policy = policyOf(row.channel, facts);
  switch (policy.onUnknown) {
    case 'hold':
      return waitUncertain(row, resolvedBy(unknown, 'held'), policy.holdUntilMs, false, facts);
    case 'assume-sent':
      // It names no message: one that it had has failed. What is told of one of several calls later says nothing of the last.
      return finish(
        changed(row, { unknown, providerMessageId: null }),
        {
          status: 'Sent',
          reason: 'assumed',
          error: null,
          providerMessageId: null,
          evidence: 'assumed',
          trail: trailCode('assumed-sent', { n: unknown.attempt }),
        },
        facts,
      );
    case 'resend': {
      const doubt = resolvedBy(unknown, 'resend');
      if (row.attempts >= policy.maxAttempts)
        return endUnknown(changed(row, { unknown: doubt }), doubt, facts);
      return waitUncertain(row, doubt, backoffMs(policy.backoff, row.attempts, facts.fraction), true, facts);
    }
    default:
      return unreachable(policy.onUnknown);
  }
}

/** Nobody told within the time: terminal Failed, and the code says that it may have arrived. */
export function endUnknown(row: NotificationState, unknown: UnknownAttempt, facts: RuleFacts): Change {
  return finish(
    row,
    {
      status: 'Failed',
      reason: 'unknown-outcome',
      error: {
        code: 'NTF_OUTCOME_UNKNOWN',
        errorClass: 'unknown',
        providerCode: row.lastError?.providerCode ?? null,
      },
      providerMessageId: null,
      evidence: 'none',
      trail: trailCode('unknown-outcome', { n: unknown.attempt }),
    },
    facts,
  );
}

/** Failed and uncertain, with a time at which the doubt is looked at again. */
export function waitUncertain(
  row: NotificationState,
  unknown: UnknownAttempt,
  waitMs: number,
  isNextAttempt: boolean,
  facts: RuleFacts,
): Change {
  const { wake, endsAtNotAfter } = boundedWait(row, waitMs, facts);
  return {
    next: changed(row, {
      status: 'Failed',
      claim: null,
      hold: null,
      lastError: row.lastError ?? UNCERTAIN,
      unknown,
    }),
    wake,
    isNextAttempt: isNextAttempt && !endsAtNotAfter,
    trail: trailCode('unknown', { n: unknown.attempt, next: unknown.resolution, wait: waitMs }),
  };
}
