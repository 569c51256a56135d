// What recipients got, by the vendors' ledgers: no second message, Sent means sent, exhausted means that every call failed.
import type { NotificationId } from '../../domain/notification-id.ts';
import { hasFailed, standingMessages } from '../ledger.ts';
import type { Stage } from '../stage.ts';
import type { Named } from './invariants.ts';

export const messageInvariants: Named = {
  'S1 no second message': noSecondMessage,
  'S22 Sent has a message': sentHasMessage,
  'S21 exhausted has no message': exhaustedHasNoMessage,
};

function noSecondMessage(stage: Stage): string | null {
  let extras = 0;
  for (const { id } of stage.asked.values())
    for (const cycle of cyclesOf(stage, id)) {
      const standing = standingMessages(stage.ledger, id).filter((message) => message.cycle === cycle);
      if (standing.length <= 1) continue;
      extras += standing.length - 1;
      if (!mayResend(stage, id))
        return `${id} cycle ${cycle}: ${standing.map(({ messageId }) => messageId).join(', ')}`;
    }
  const counted = stage.counted.get('pin_possible_duplicates_total') ?? 0;
  return extras > counted ? `${extras} second messages, ${counted} counted as possible duplicates` : null;
}

/** Only policy `resend` takes the risk of a second message. */
function mayResend({ asked, eras }: Stage, id: NotificationId): boolean {
  const channel = asked.get(id)?.payloads[0]?.channel;
  return (
    channel !== undefined && (eras.get(channel) ?? []).some(({ config }) => config.onUnknown === 'resend')
  );
}

function cyclesOf({ ledger }: Stage, id: NotificationId): readonly number[] {
  return [...new Set(ledger.messages.filter(({ reference }) => reference === id).map(({ cycle }) => cycle))];
}

/** The webhooks have all been read by now, so what the vendor thinks of a message is what the row knows. */
function sentHasMessage({ database, ledger }: Stage): string | null {
  for (const { row } of database.rows.values()) {
    if (row.status !== 'Sent' || (row.final === 'assumed' && row.providerMessageId === null)) continue;

    const own = ledger.messages.find(({ messageId }) => messageId === row.providerMessageId);
    if (own?.reference !== row.id || hasFailed(own))
      return `${row.id} names ${row.providerMessageId}, and that one is not out`;
  }
  return null;
}

function exhaustedHasNoMessage({ database, ledger, witness }: Stage): string | null {
  for (const { row } of database.rows.values()) {
    if (row.final !== 'exhausted') continue;
    const standing = standingMessages(ledger, row.id);
    if (standing.length > 0) return `${row.id} is exhausted, and ${standing[0]?.messageId} is out`;
    const attempts = new Set(witness.claimsOf(row.id).map(({ claim }) => claim.attempt));
    const budget = row.outcome?.maxAttempts ?? 0;
    if (attempts.size < budget) return `${row.id} is exhausted after ${attempts.size} of ${budget} attempts`;
  }
  return null;
}
