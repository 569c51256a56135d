// commands.v1: what people ask of one notification.
import type { LogRecord, OutgoingRecord } from '../broker/log.ts';
import type { NotificationCommand } from '../domain/notification-command.ts';
import { invariant } from '../runtime/fault.ts';
import type { Codec } from './codec.ts';
import type { DecodeAnswer } from './decode-answer.ts';
import type { Topics } from './topics.ts';

/** @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function decodeNotificationCommand(
  _codec: Codec,
  _record: LogRecord,
): Promise<DecodeAnswer<NotificationCommand>> {
  await Promise.resolve();
  invariant(false, 'decodeNotificationCommand is not written yet');
}

export function notificationCommandRecord(
  _topics: Topics,
  _codec: Codec,
  _command: NotificationCommand,
  _traceparent: string | null,
): OutgoingRecord {
  invariant(false, 'notificationCommandRecord is not written yet');
}
