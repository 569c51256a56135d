// Generated from schemas/retry-due.avsc by scripts/generate-types.mjs: change the schema, then run it again.

/** A wake-up. It decides nothing: the stored state of the notification does. Key of the record: notificationId. */
export interface RetryDue {
  /** Whom to wake. */
  readonly notificationId: string;
  /** Not earlier than this. Epoch milliseconds. */
  readonly dueAt: number;
  /** Number of the wake-up in the life of the notification; an older one than the stored number is dropped. */
  readonly wakeSeq: number;
  /** Name of the tier that it waits in, as 30s or 2m. */
  readonly tier: string;
}
