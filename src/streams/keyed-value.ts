// What all our inputs have in common: the key is the NotificationId, and the value says the same.
import type { LogRecord } from '../broker/log.ts';
import { type NotificationId, parseNotificationId } from '../domain/notification-id.ts';
import type { Codec } from './codec.ts';
import { type DecodeAnswer, violation } from './decode-answer.ts';
import type { NotificationCommand } from './generated/notification-command.ts';
import type { NotificationDispatchedEvent } from './generated/notification-dispatched-event.ts';
import type { NotificationRequested } from './generated/notification-requested.ts';
import type { ProviderWebhook } from './generated/provider-webhook.ts';
import type { RetryDue } from './generated/retry-due.ts';

/** What each reader schema gives, as generated from it. */
interface SchemaValues {
  readonly 'notification-requested': NotificationRequested;
  readonly 'provider-webhook': ProviderWebhook;
  readonly 'notification-command': NotificationCommand;
  readonly 'retry-due': RetryDue;
  readonly 'notification-dispatched-event': NotificationDispatchedEvent;
}

export interface KeyedValue<V> {
  /** In lower case, however it was written. */
  readonly id: NotificationId;
  readonly value: V;
}

const KEY_BYTES = 36;

/** @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function decodeKeyed<N extends keyof SchemaValues>(
  codec: Codec,
  name: N,
  record: LogRecord,
): Promise<DecodeAnswer<KeyedValue<SchemaValues[N]>>> {
  if (record.key === null) return violation('null-key', 'the record has no key');
  const id = notificationIdOf(record.key);
  if (id === null) return violation('key-not-uuid', `the key (${record.key.length} bytes) is not a uuid`);
  const answer = await codec.decode(name, record.value);
  if (answer.kind !== 'decoded') return answer;
  const value = answer.value as SchemaValues[N];
  if (parseNotificationId(value.notificationId) !== id) {
    return violation('key-mismatch', 'key and notificationId differ', 'notificationId');
  }
  return { kind: 'decoded', value: { id, value } };
}

function notificationIdOf(key: Uint8Array): NotificationId | null {
  return key.length === KEY_BYTES ? parseNotificationId(Buffer.from(key).toString('latin1')) : null;
}
