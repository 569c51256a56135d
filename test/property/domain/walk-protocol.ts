// What comes from outside in a walk: reports of the provider about messages of its ledger, and commands of people. Each is told twice.

import { planCommand } from '../../../src/domain/command.ts';
import { VERDICTS, type Verdict } from '../../../src/domain/notification.ts';
import type { NotificationCommand } from '../../../src/domain/notification-command.ts';
import type { ProviderWebhook } from '../../../src/domain/provider-webhook.ts';
import { planWebhook } from '../../../src/domain/webhook.ts';
import { aCommand, anId, aWebhook } from '../../support/a-notification.ts';
import { decidedPart } from './walk-invariants.ts';
import { commit, publishFirst } from './walk-process.ts';
import {
  type CommandStep,
  factsOf,
  note,
  type ReportStep,
  type Walk,
  type WalkMessage,
} from './walk-state.ts';

export function report(walk: Walk, step: ReportStep): void {
  const message = walk.messages[step.pick % Math.max(1, walk.messages.length)];
  if (message === undefined || walk.row === null) return;
  const { id, providerKey, cycle, attempt } = message;
  const webhook = aWebhook({
    provider: providerKey,
    providerMessageId: id,
    verdict: step.verdict,
    errorClass: step.verdict === 'failed' ? (step.isHard ? 'refused' : 'transient') : null,
    ...(step.echoes ? { cycle, attempt } : {}),
  });
  note(
    walk,
    `webhook ${webhook.verdict} of ${id}${step.isHard ? ' (hard)' : ''}${step.echoes ? ` of ${cycle}/${attempt}` : ''}`,
  );
  learn(message, step);
  walk.reports.push(webhook);
  tell(walk, webhook, message);
  publishFirst(walk, true);
  const before = decidedPart(walk.row);
  tell(walk, webhook, message);
  if (decidedPart(walk.row) !== before)
    throw new Error(`a repeated webhook changed the row\n${walk.diary.join('\n')}`);
}

/** S11: all reports once more from the start, as after a reset of offsets, change nothing that was decided. */
export function readAgain(walk: Walk): void {
  publishFirst(walk, true);
  if (walk.row === null) return;
  const before = decidedPart(walk.row);
  for (const webhook of walk.reports) {
    const plan = planWebhook(walk.row, webhook, factsOf(walk));
    if (plan.kind === 'apply') commit(walk, plan.change);
    publishFirst(walk, true);
  }
  if (decidedPart(walk.row) !== before)
    throw new Error(`S11: what was told is told again and changes the row\n${walk.diary.join('\n')}`);
}

/** Of two verdicts the higher counts. */
function learn(message: WalkMessage, { verdict, isHard }: ReportStep): void {
  if (verdict !== 'failed' && verdict !== 'delivered') return;
  const said: Verdict = verdict === 'delivered' ? verdict : isHard ? 'failed-hard' : 'failed-transient';
  if (VERDICTS.indexOf(said) > VERDICTS.indexOf(message.verdict)) message.verdict = said;
}

function tell(walk: Walk, webhook: ProviderWebhook, message: WalkMessage): void {
  publishFirst(walk, true);
  const { row } = walk;
  if (row === null) return;
  const plan = planWebhook(row, webhook, factsOf(walk));
  if (plan.kind === 'publish') throw new Error('a row owes what was published');
  const known = row.evidence.find(({ messageId }) => messageId === message.id)?.verdict ?? 'accepted';
  const isDown =
    webhook.verdict === 'failed' && !(known === 'delivered' && webhook.errorClass === 'transient');
  if (isDown) learnFailure(walk, message);
  if (plan.kind === 'ignore') return;
  const isUndoing = isDown && (row.providerMessageId === message.id || row.final === 'assumed');
  walk.cause = isUndoing ? 'failed-webhook' : null;
  commit(walk, plan.change);
  walk.cause = null;
}

/** A report about a message tells of every call that it may have come from; the calls in doubt were asked for with the same words. */
function learnFailure(walk: Walk, message: WalkMessage): void {
  walk.accepted.delete(message.id);
  for (const call of walk.calls) {
    const isItsCall = call.cycle === message.cycle && call.providerKey === message.providerKey;
    if (isItsCall && (call.known === 'nothing' || call.known === 'accepted')) call.known = 'failed';
  }
}

export function command(walk: Walk, step: CommandStep): void {
  publishFirst(walk, true);
  const { row } = walk;
  if (row === null) return;
  const asked = askedOf(walk, row.cycle, step);
  const plan = planCommand(row, asked, factsOf(walk));
  note(walk, `command ${asked.kind}: ${plan.kind === 'answer' ? plan.result : plan.kind}`);
  if (plan.kind !== 'answer') return;
  if (asked.kind === 'redrive' && plan.result === 'done') beginBudget(walk, asked.isForced);
  commit(walk, plan.change);
  walk.cause = null;
  publishFirst(walk, true);
  const again = planCommand(walk.row ?? row, asked, factsOf(walk));
  if (again.kind !== 'repeat')
    throw new Error(`a repeated command was answered again\n${walk.diary.join('\n')}`);
}

function askedOf({ commandIds }: Walk, cycle: number, step: CommandStep): NotificationCommand {
  const fresh = anId(900_000 + commandIds.length);
  const commandId = step.isRepeat ? (commandIds.at(-1) ?? fresh) : fresh;
  if (commandIds.at(-1) !== commandId) commandIds.push(commandId);
  const expectedCycle = step.cycleOff === null ? null : Math.max(0, cycle + step.cycleOff);
  return aCommand({ kind: step.ask, isForced: step.isForced, expectedCycle, commandId });
}

function beginBudget(walk: Walk, isForced: boolean): void {
  walk.budget += 1;
  walk.retryAfterUntilMs = 0;
  walk.accepted.clear();
  walk.cause = isForced ? 'forced-redrive' : 'redrive';
}
