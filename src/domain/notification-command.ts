// What a person (or a system in a person's name) asks of one notification.
import type { NotificationId } from './notification-id.ts';

export const COMMAND_KINDS = ['cancel', 'mark-read', 'redrive', 'release', 'close'] as const;
export type CommandKind = (typeof COMMAND_KINDS)[number];

export interface NotificationCommand {
  /** uuid; the same when the command is repeated. */
  readonly commandId: string;
  readonly notificationId: NotificationId;
  /** null: the platform's own, which is a real value and never "all". */
  readonly tenantId: string | null;
  readonly kind: CommandKind;
  readonly actor: string;
  readonly reason: string | null;
  /** The cycle that the actor saw; a command that changes delivery is refused when the row has moved on. */
  readonly expectedCycle: number | null;
  /** Of a redrive: also when the message may have arrived. */
  readonly isForced: boolean;
  readonly issuedAtMs: number;
}
