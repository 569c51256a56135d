// Generated from schemas/notification-command.avsc by scripts/generate-types.mjs: change the schema, then run it again.

/** What a person asks of one notification. Key of the record: notificationId. */
export interface NotificationCommand {
  /** Id of the command; the same when it is repeated. */
  readonly commandId: string;
  /** The notification that is meant. */
  readonly notificationId: string;
  /** Tenant of the actor. Null is the platform itself. */
  readonly tenantId: string | null;
  /** One of cancel, mark-read, redrive, release, close. */
  readonly kind: string;
  /** Who asks, for the timeline. */
  readonly actor: string;
  /** Why, for the timeline. */
  readonly reason: string | null;
  /** The cycle that the actor saw; the command is refused when the notification has moved on. */
  readonly expectedCycle: number | null;
  /** Of a redrive: send again although the message may have arrived. */
  readonly force: boolean;
  /** When it was asked. Epoch milliseconds. */
  readonly issuedAt: number;
}
