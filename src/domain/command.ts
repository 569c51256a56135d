// What a person asks meets the row. Every command is answered by one line in the row's trail, refusals too; a command id that was
// answered does nothing. What changes delivery says which cycle the person saw, and is refused when the row has moved on.

import { newNotification } from './admission.ts';
import { endCancelled, isCancelAhead } from './cancel.ts';
import type { Change } from './change.ts';
import { NO_CHANNEL } from './channel.ts';
import { changed } from './committed-row.ts';
import { newestStanding } from './evidence.ts';
import type { FinalOutcome, Notification, NotificationState } from './notification.ts';
import type { NotificationCommand } from './notification-command.ts';
import { owesOutcome } from './obligation.ts';
import { holdCause } from './plan.ts';
import type { RuleFacts } from './rule-facts.ts';
import { recorded } from './sent.ts';
import { trailCode } from './trail.ts';
import { unreachable } from './unreachable.ts';
import { boundedWait } from './wait.ts';

/** Ids that the row remembers. An older command that comes again is stopped by its expectedCycle only. */
export const MAX_COMMAND_IDS = 16;

export const COMMAND_RESULTS = [
  'done',
  /** Takes effect when the call in flight turns out not to have been accepted. */
  'requested',
  'already',
  'refused-cycle',
  'refused-final',
  'refused-not-final',
  'refused-sent',
  'refused-unknown',
  'refused-expired',
  'refused-purged',
  'refused-not-held',
  'refused-hold-stands',
  'refused-no-copy',
  'refused-not-failed',
] as const;
export type CommandResult = (typeof COMMAND_RESULTS)[number];

export type CommandPlan =
  /** Owes an outcome: publish it first. */
  | { readonly kind: 'publish' }
  | { readonly kind: 'answer'; readonly result: CommandResult; readonly change: Change }
  /** Answered before. */
  | { readonly kind: 'repeat' }
  /** Only a tombstone is left: nothing can be done, and nothing of it is written. */
  | { readonly kind: 'purged' }
  /** Another tenant's notification: to this one it does not exist. */
  | { readonly kind: 'unknown' };

/** The line is written when the answer is known; see `answer`. */
const UNSAID = '';

type Answer = Exclude<CommandPlan, { kind: 'publish' }>;

/** `isPurged`: the request is gone, or has never been there. */
export function planCommand(
  row: Notification,
  command: NotificationCommand,
  facts: RuleFacts,
  isPurged = false,
): CommandPlan {
  if (row.tenantId !== command.tenantId) return { kind: 'unknown' };
  if (row.commandIds.includes(command.commandId)) return { kind: 'repeat' };
  if (isPurged && !isCancelAhead(row)) return { kind: 'purged' };
  if (owesOutcome(row)) return { kind: 'publish' };
  const { kind, expectedCycle } = command;
  const isStale = kind !== 'mark-read' && expectedCycle !== null && expectedCycle !== row.cycle;
  if (isStale) return refused(row, command, 'refused-cycle');
  switch (kind) {
    case 'mark-read':
      return markRead(row, command, facts);
    case 'cancel':
      return cancel(row, command, facts);
    case 'redrive':
      return redrive(row, command, facts);
    case 'release':
      return release(row, command, facts);
    case 'close':
      return close(row, command, facts);
    default:
      return unreachable(kind);
  }
}

/** The row that keeps the place of a request which must not be sent when it comes. It binds only its own tenant. */
export function cancelBeforeRequest(command: NotificationCommand): Change {
  const { notificationId, tenantId, issuedAtMs: requestedAtMs } = command;
  const next: NotificationState = {
    ...unasked(notificationId, tenantId, requestedAtMs),
    commandIds: [command.commandId],
  };
  return { next, wake: { kind: 'none' }, isNextAttempt: false, trail: lineOf(command, 'done') };
}

function unasked(
  notificationId: NotificationState['id'],
  tenantId: string | null,
  requestedAtMs: number,
): NotificationState {
  const nothing = newNotification({
    notificationId,
    tenantId,
    channel: NO_CHANNEL,
    recipient: '',
    inApp: null,
    notBeforeMs: null,
    notAfterMs: null,
    requestedAtMs,
  });
  return changed(nothing, {
    status: 'Failed',
    final: 'cancelled',
    lastError: { code: 'NTF_CANCELLED', errorClass: 'cancelled', providerCode: null },
  });
}

/** Only the copy: delivery is another matter. */
function markRead(row: Notification, command: NotificationCommand, facts: RuleFacts): Answer {
  const isThere = row.inAppStatus === 'arrived' || (row.channel === 'in-app' && row.status === 'Sent');
  if (!isThere) return refused(row, command, 'refused-no-copy');
  if (row.readAtMs !== null) return answer(command, 'already', kept(row));
  const readAtMs = Math.min(command.issuedAtMs, facts.nowMs);
  return answer(command, 'done', kept(changed(row, { readAtMs })));
}

function cancel(row: Notification, command: NotificationCommand, facts: RuleFacts): Answer {
  if (row.final !== null) return refused(row, command, 'refused-final');
  if (row.claim !== null)
    return answer(command, 'requested', kept(changed(row, { cancelBy: command.actor })));
  return answer(command, 'done', endCancelled(row, UNSAID, facts));
}

/** A new cycle with a fresh budget, due now. What may have arrived is sent again only by force, what is known to stand never. */
function redrive(row: Notification, command: NotificationCommand, facts: RuleFacts): Answer {
  if (row.final === null) return refused(row, command, 'refused-not-final');
  if (isCancelAhead(row)) return refused(row, command, 'refused-purged');
  if (row.notAfterMs !== null && row.notAfterMs <= facts.nowMs)
    return refused(row, command, 'refused-expired');
  // A message that stands is the end, whoever asks: what should be sent once more is another notification.
  if (newestStanding(row.evidence) !== null) return refused(row, command, 'refused-sent');
  if (!command.isForced && row.outcome?.isUncertain === true) return refused(row, command, 'refused-unknown');
  const next: NotificationState = changed(row, {
    status: row.status === 'Sent' ? 'Pending' : row.status,
    final: null,
    cycle: row.cycle + 1,
    attempts: 0,
    providerMessageId: null,
    closedAtMs: null,
    outcome: redriven(row.outcome),
  });
  return answer(command, 'done', { ...dueNow(next, facts), isNextAttempt: true });
}

function redriven(outcome: FinalOutcome | null): FinalOutcome | null {
  return outcome?.isUncertain === true ? { ...outcome, wasRedrivenInDoubt: true } : outcome;
}

/** Off hold without waiting for the channel's pace. A cause that stands is not overruled. */
function release(row: Notification, command: NotificationCommand, facts: RuleFacts): Answer {
  if (row.hold === null) return refused(row, command, 'refused-not-held');
  if (holdCause(row, facts) !== null) return refused(row, command, 'refused-hold-stands');
  return answer(command, 'done', dueNow(changed(row, { hold: null }), facts));
}

function close(row: Notification, command: NotificationCommand, facts: RuleFacts): Answer {
  if (row.final === null || row.status !== 'Failed') return refused(row, command, 'refused-not-failed');
  if (row.closedAtMs !== null) return answer(command, 'already', kept(row));
  return answer(command, 'done', kept(changed(row, { closedAtMs: facts.nowMs })));
}

function refused(row: Notification, command: NotificationCommand, result: CommandResult): Answer {
  return answer(command, result, kept(row));
}

const kept = (next: NotificationState): Change => recorded(next, UNSAID);

function dueNow(next: NotificationState, facts: RuleFacts): Change {
  return { next, wake: boundedWait(next, 0, facts).wake, isNextAttempt: false, trail: UNSAID };
}

function answer(command: NotificationCommand, result: CommandResult, change: Change): Answer {
  const commandIds = [...change.next.commandIds, command.commandId].slice(-MAX_COMMAND_IDS);
  return {
    kind: 'answer',
    result,
    change: { ...change, next: changed(change.next, { commandIds }), trail: lineOf(command, result) },
  };
}

const MAX_ACTOR_CHARS = 32;
/** The whole reason stays on the topic. */
const MAX_REASON_CHARS = 48;

function lineOf(command: NotificationCommand, result: CommandResult): string {
  const { kind, commandId, actor, reason, isForced } = command;
  const by = actor.slice(0, MAX_ACTOR_CHARS);
  const why = reason?.slice(0, MAX_REASON_CHARS) ?? null;
  return trailCode(`command-${kind}`, { result, id: commandId, by, force: isForced ? 1 : null, why });
}
