// One event of the feed as text on its way between processes, and back. What cannot be read is nobody's: another release may say more.
import type { NotificationEvent } from '../domain/notification-event.ts';
import { parseNotificationId } from '../domain/notification-id.ts';

export interface FeedMessage {
  /** The feed that published it: who reads its own message has told its listeners already. */
  readonly origin: string;
  readonly event: NotificationEvent;
}

export function feedMessage({ origin, event }: FeedMessage): string {
  return JSON.stringify({ ...event, origin });
}

/** null: not one of ours, or of a kind that this release does not know. */
export function readFeedMessage(text: string): FeedMessage | null {
  const fields = fieldsOf(text);
  const event = fields === null ? null : eventOf(fields);
  const origin = fields?.['origin'];
  return event === null || typeof origin !== 'string' ? null : { origin, event };
}

type Fields = Readonly<Record<string, unknown>>;

function eventOf(fields: Fields): NotificationEvent | null {
  const about = aboutOf(fields);
  if (about === null) return null;
  const { kind, from, to, userId } = fields;
  if (kind === 'status-changed') return isStatus(from) && isStatus(to) ? { kind, ...about, from, to } : null;
  if (kind !== 'inbox-arrived' && kind !== 'inbox-read') return null;
  return typeof userId === 'string' ? { kind, ...about, userId } : null;
}

function aboutOf(fields: Fields): Pick<NotificationEvent, 'id' | 'tenantId' | 'version'> | null {
  const { id: given, tenantId = null, version } = fields;
  const id = typeof given === 'string' ? parseNotificationId(given) : null;
  if (id === null || typeof version !== 'number') return null;
  return tenantId === null || typeof tenantId === 'string' ? { id, tenantId, version } : null;
}

function fieldsOf(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function isStatus(value: unknown): value is 'Pending' | 'Failed' | 'Sent' {
  return value === 'Pending' || value === 'Failed' || value === 'Sent';
}
