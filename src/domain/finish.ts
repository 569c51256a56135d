// How a notification ends. A final outcome gets the next outcomeSeq and is owed to the topic until it is acknowledged.
// Only a row that owes no earlier outcome may be finished: publish first.
import type { Change } from './change.ts';
import type { LastError } from './codes.ts';
import { changed } from './committed-row.ts';
import type { Evidence, FinalReason, NotificationState } from './notification.ts';
import { policyOf, type RuleFacts } from './rule-facts.ts';

/** Version of the released dispatched schema that new outcomes are encoded with, for ever. */
export const DISPATCHED_SCHEMA_VERSION = 1;

export interface Ending {
  readonly status: 'Sent' | 'Failed';
  readonly reason: FinalReason;
  readonly error: LastError | null;
  readonly providerMessageId: string | null;
  readonly evidence: Evidence;
  readonly trail: string;
  /** See FinalOutcome. */
  readonly tokenInvalidSinceMs?: number;
}

export function finish(row: NotificationState, ending: Ending, facts: RuleFacts): Change {
  const policy = policyOf(row.channel, facts);
  const seq = row.outcomeSeq + 1;
  return {
    next: changed(row, {
      status: ending.status,
      final: ending.reason,
      claim: null,
      unknown: null,
      // A copy that nobody saw before the end is not shown after it.
      inAppStatus: row.inAppStatus === 'waiting' ? 'none' : row.inAppStatus,
      hold: null,
      cancelBy: null,
      closedAtMs: null,
      lastError: ending.error ?? row.lastError,
      providerMessageId: ending.providerMessageId ?? row.providerMessageId,
      publishedSeq: row.outcomeSeq,
      outcomeSeq: seq,
      outcome: {
        schemaVersion: DISPATCHED_SCHEMA_VERSION,
        seq,
        supersedes: row.outcomeSeq === 0 ? null : row.outcomeSeq,
        status: ending.status,
        reason: ending.reason,
        providerKey: row.providerKey ?? policy.providerKey,
        cycle: row.cycle,
        attempts: row.attempts,
        maxAttempts: policy.maxAttempts,
        providerMessageId: ending.providerMessageId,
        error: ending.error,
        evidence: ending.evidence,
        ...(ending.tokenInvalidSinceMs === undefined
          ? {}
          : { tokenInvalidSinceMs: ending.tokenInvalidSinceMs }),
        ...(mayHaveArrived(row, ending) ? { isUncertain: true } : {}),
        ...(row.unknown === null ? {} : { doubt: row.unknown }),
        ...(row.outcome?.wasRedrivenInDoubt === true ? { wasRedrivenInDoubt: true } : {}),
      },
    }),
    wake: { kind: 'after', waitMs: facts.publishWithinMs, inLog: false },
    isNextAttempt: false,
    trail: ending.trail,
  };
}

/** A failure told while a call is in doubt, or a success that is only assumed. */
function mayHaveArrived(row: NotificationState, { status, reason }: Ending): boolean {
  if (reason === 'assumed' || reason === 'unknown-outcome') return true;
  return status === 'Failed' && row.unknown !== null;
}

/** The end of a notification that ran into `notAfter`. */
export function expire(row: NotificationState, facts: RuleFacts): Change {
  return finish(
    row,
    {
      status: 'Failed',
      reason: 'expired',
      error: { code: 'NTF_EXPIRED', errorClass: 'expired', providerCode: null },
      providerMessageId: null,
      evidence: 'none',
      trail: 'expired',
    },
    facts,
  );
}
