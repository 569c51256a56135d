// What recipients got, by the vendors' ledgers: no second message, Sent means sent, exhausted means that every call failed.
import type { Notification } from '../../domain/notification.ts';
import type { NotificationId } from '../../domain/notification-id.ts';
import { hasFailed, standingMessages } from '../ledger.ts';
import type { Stage } from '../stage.ts';
import type { Named } from './at-rest.ts';

export const messageInvariants: Named = {
  'S1 no second message': noSecondMessage,
  'S22 Sent has a message': sentHasMessage,
  'S21 exhausted has no message': exhaustedHasNoMessage,
  'S2 a failure that is certain has no message': certainFailureHasNoMessage,
  'S21 exhausted has its attempts': exhaustedHasItsAttempts,
  'an answer that was heard is recorded': heardIsRecorded,
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

function exhaustedHasNoMessage(stage: Stage): string | null {
  return failureWithMessage(stage, ({ final }) => final === 'exhausted');
}

/** However it ended: whoever reads that it failed for certain asks again, and nothing warns of a second message. */
function certainFailureHasNoMessage(stage: Stage): string | null {
  return failureWithMessage(stage, ({ final, outcome }) => final !== null && outcome?.isUncertain !== true);
}

function failureWithMessage(
  { database, ledger }: Stage,
  isMeant: (row: Notification) => boolean,
): string | null {
  for (const { row } of database.rows.values()) {
    if (row.status !== 'Failed' || !isMeant(row)) continue;
    // Whoever redrives by force knows that an earlier message stands.
    const isRedriven = row.trail.includes(' command-redrive result=done');
    const standing = standingMessages(ledger, row.id).filter(
      ({ cycle }) => !isRedriven || cycle === row.cycle,
    );
    if (standing.length > 0) return `${row.id} is ${row.final}, and ${standing[0]?.messageId} is out`;
  }
  return null;
}

/** Every attempt of the budget failed, or nobody knows: what was only the channel's fault does not count. */
function exhaustedHasItsAttempts({ database, witness }: Stage): string | null {
  for (const { row } of database.rows.values()) {
    if (row.final !== 'exhausted') continue;
    const claims = witness.claimsOf(row.id);
    const attempts = new Set(
      claims.filter(({ isGivenBack }) => !isGivenBack).map(({ claim }) => claim.attempt),
    );
    const budget = row.outcome?.maxAttempts ?? 0;
    if (attempts.size < budget) return `${row.id} is exhausted after ${attempts.size} of ${budget} attempts`;
  }
  return null;
}

/** By a process that still lives: whatever became of the row meanwhile, the message is among its evidence. */
function heardIsRecorded({ database, ledger, fleet }: Stage): string | null {
  const living = new Set(fleet.living().map(({ process }) => process.name));
  const heard = ledger.calls.filter(
    ({ isInTime, said, by }) => isInTime && said === 'accepted' && living.has(by),
  );
  for (const { reference, messageId } of heard) {
    const known = database.rows
      .get(reference)
      ?.row.evidence.some((message) => message.messageId === messageId);
    if (known !== true) return `${reference} does not know of ${messageId}`;
  }
  return null;
}
