// A claim that certainly sent nothing is given back at once, at stop, at revoke, or when it grew too old to send.
import { honourCancel } from './cancel.ts';
import type { Change } from './change.ts';
import type { Claim, Notification } from './notification.ts';
import type { RuleFacts } from './rule-facts.ts';
import { acceptRecorded } from './sent.ts';
import { restoreAttempt } from './settle.ts';
import { trailCode } from './trail.ts';
import { settleUnknown } from './unknown.ts';
import { waitFor } from './wait.ts';

/**
 * The row as before the claim, due at once, so that the next owner sends without waiting for the lease.
 * A takeover's release leaves the doubt about the earlier holder of the attempt.
 */
export function releaseClaim(row: Notification, claim: Claim, facts: RuleFacts): Change {
  return honourCancel(released(row, claim, facts), facts);
}

function released(row: Notification, claim: Claim, facts: RuleFacts): Change {
  const sent = acceptRecorded(restoreAttempt(row, claim), facts);
  if (sent !== null) return sent;
  if (claim.takeovers > 0)
    return settleUnknown(
      row,
      {
        attempt: claim.attempt,
        providerKey: claim.providerKey,
        providerCode: null,
        leaseEndMs: facts.nowMs,
      },
      facts,
    );
  return waitFor(restoreAttempt(row, claim), 0, trailCode('released', { n: claim.attempt }), facts);
}
