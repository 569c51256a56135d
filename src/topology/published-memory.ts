// What this process published and whose mark may still be on its way to the table: so that a webhook that comes right after the send does
// not have the outcome told twice. It only remembers acknowledgements; whoever does not know of one publishes again, byte for byte.
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { owesOutcome } from '../domain/obligation.ts';

export interface PublishedMemory {
  /** The log acknowledged outcome `outcomeSeq`. */
  note(id: NotificationId, outcomeSeq: number): void;
  /** The row as it is once the mark is in the table. */
  applyTo(row: Notification): Notification;
}

/** More outcomes than a process publishes while a mark waits. */
const MAX_REMEMBERED = 8_192;

export function publishedMemory(): PublishedMemory {
  const seqs = new Map<NotificationId, number>();
  return {
    note(id, outcomeSeq) {
      // The newest last: the oldest is forgotten first.
      seqs.delete(id);
      seqs.set(id, outcomeSeq);
      const [oldest] = seqs.keys();
      if (seqs.size > MAX_REMEMBERED && oldest !== undefined) seqs.delete(oldest);
    },
    applyTo(row) {
      if (!owesOutcome(row) || seqs.get(row.id) !== row.outcomeSeq) return row;
      return { ...row, publishedSeq: row.outcomeSeq, wakeAtMs: null, wakeInLog: false };
    },
  };
}
