// The end that a person asked for. While a call is in flight nobody can take it back: the wish is written down and takes effect when the
// call turns out not to have been accepted.
import type { Change } from './change.ts';
import { NO_CHANNEL } from './channel.ts';
import { finish } from './finish.ts';
import type { NotificationState } from './notification.ts';
import type { RuleFacts } from './rule-facts.ts';
import { trailCode } from './trail.ts';

/** Terminal Failed. A call in doubt stays in doubt: a webhook may still end the row as Sent. */
export function endCancelled(row: NotificationState, trail: string, facts: RuleFacts): Change {
  return finish(
    row,
    {
      status: 'Failed',
      reason: 'cancelled',
      error: { code: 'NTF_CANCELLED', errorClass: 'cancelled', providerCode: null },
      providerMessageId: null,
      evidence: 'none',
      trail,
    },
    facts,
  );
}

/** Whether the row only keeps the place of a request that was cancelled before it came. */
export function isCancelAhead(row: Pick<NotificationState, 'channel'>): boolean {
  return row.channel === NO_CHANNEL;
}

/** A change that lets go of its claim without ending the row ends it, if that was asked for meanwhile. */
export function honourCancel(change: Change, facts: RuleFacts): Change {
  const { next } = change;
  if (next.cancelBy === null || next.claim !== null || next.final !== null) return change;
  return endCancelled(next, trailCode('cancelled', { by: next.cancelBy }), facts);
}
