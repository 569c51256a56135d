// What an operator asks of one notification, as the command that goes to the log: who asked, why, and in which cycle the row was seen.
import { userInfo } from 'node:os';
import type { Notification } from '../../domain/notification.ts';
import type { CommandKind, NotificationCommand } from '../../domain/notification-command.ts';
import { MAX_ID_CHARS } from '../../streams/field-rules.ts';
import { variable } from '../config/setting-source.ts';
import type { Environment } from '../environment.ts';
import { usage } from '../report-failure.ts';

export interface OrderFlags {
  readonly actor?: string;
  readonly reason?: string;
}

export const MAX_REASON_CHARS = 1_024;

/** Whoever `--actor` names, else the user of the operating system. @throws Fault USAGE */
export function actorOf({ variables }: Environment, { actor }: OrderFlags): string {
  const name = actor ?? variable(variables, 'USER') ?? variable(variables, 'LOGNAME') ?? userInfo().username;
  if (name.trim() === '' || name.length > MAX_ID_CHARS)
    throw usage(`--actor: 1 to ${MAX_ID_CHARS} characters, please`);
  return name;
}

/** @throws Fault USAGE */
export function reasonOf({ reason }: OrderFlags): string | null {
  if (reason === undefined) return null;
  if (reason.trim() === '' || reason.length > MAX_REASON_CHARS)
    throw usage(`--reason: 1 to ${MAX_REASON_CHARS} characters, please`);
  return reason;
}

/** @throws Fault USAGE, also without a reason: what stops others has to say why */
export function requiredReason(flags: OrderFlags): string {
  const reason = reasonOf(flags);
  if (reason === null) throw usage('say why with --reason: it is what others see\n');
  return reason;
}

/** A command about the row as it was seen. */
export function orderFor(
  environment: Environment,
  row: Pick<Notification, 'id' | 'tenantId' | 'cycle'>,
  order: { readonly kind: CommandKind; readonly actor: string; readonly reason: string | null },
): NotificationCommand {
  return {
    ...order,
    commandId: environment.ids.uuid(),
    notificationId: row.id,
    tenantId: row.tenantId,
    expectedCycle: row.cycle,
    isForced: false,
    issuedAtMs: environment.clock.nowMs(),
  };
}
