// Finds failed rows, says what would become of them, and does it. A redrive is a command like any other: the processor may still refuse
// it, and says so in the timeline.
import type { Notification } from '../domain/notification.ts';
import type { NotificationCommand } from '../domain/notification-command.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { FailedFilter, Outbox } from './outbox.ts';
import type { RelayProgress } from './progress.ts';
import { notificationIdsOf, planReemit, type ReemitStep } from './reemit-plan.ts';

export interface ReemitDeps {
  readonly progress: RelayProgress;
  readonly commandId: () => string;
  readonly nowMs: () => number;
  /** The notifications of these ids, at most STATE_IDS of them, as far as they exist. */
  readonly states: (ids: readonly NotificationId[]) => Promise<readonly Notification[]>;
  /** Resolves when the log has the command. */
  readonly send: (command: NotificationCommand) => Promise<void>;
}

export interface ReemitOrder {
  readonly actor: string;
  readonly reason: string;
  readonly isForced: boolean;
}

export const STATE_IDS = 1_000;

/** @throws Fault STATE_UNAVAILABLE (retriable) */
export async function planReemits(
  { states }: Pick<ReemitDeps, 'states'>,
  outbox: Outbox,
  filter: FailedFilter,
): Promise<readonly ReemitStep[]> {
  const failed = await outbox.failed(filter);
  const contents = new Map((await outbox.anyRows(failed.map(({ id }) => id))).map((row) => [row.id, row]));
  const ids = [...contents.values()].flatMap(notificationIdsOf);
  const known = new Map<string, Notification>();
  for (let at = 0; at < ids.length; at += STATE_IDS)
    for (const state of await states(ids.slice(at, at + STATE_IDS))) known.set(state.id, state);
  return failed.map((row) => planReemit(row, contents.get(row.id) ?? null, known));
}

/** @throws Fault STATE_UNAVAILABLE, LOG_UNAVAILABLE; what was done before it stays done, and may be done again */
export async function applyReemits(
  deps: Omit<ReemitDeps, 'states'>,
  outbox: Outbox,
  steps: readonly ReemitStep[],
  order: ReemitOrder,
): Promise<void> {
  const source = outbox.source.key;
  for (const step of steps) {
    if (step.kind !== 'redrive') continue;
    await deps.progress.remember(
      source,
      step.row.id,
      step.notifications.map(({ id }) => id),
    );
    for (const notification of step.notifications) await deps.send(redrive(deps, notification, order));
  }
  const opened = steps.flatMap((step) => (step.kind === 'reopen' ? [step.row] : []));
  if (opened.length === 0) return;
  // Forgotten first: an open row that we knew would be left alone.
  await deps.progress.forget(
    source,
    opened.map(({ id }) => id),
  );
  await outbox.reopen(opened);
}

function redrive(
  { commandId, nowMs }: Pick<ReemitDeps, 'commandId' | 'nowMs'>,
  { id, tenantId, cycle }: Notification,
  { actor, reason, isForced }: ReemitOrder,
): NotificationCommand {
  return {
    commandId: commandId(),
    notificationId: id,
    tenantId,
    kind: 'redrive',
    actor,
    reason,
    expectedCycle: cycle,
    isForced,
    issuedAtMs: nowMs(),
  };
}
