// What this process published and whose mark may still be on its way to the table: so that a webhook that comes right after the send does
// not have the outcome told twice. It only remembers acknowledgements; whoever does not know of one publishes again, byte for byte.
import { changed } from '../domain/committed-row.ts';
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { owesOutcome } from '../domain/obligation.ts';

export interface PublishedMemory {
  /** The log acknowledged outcome `outcomeSeq`. */
  note(id: NotificationId, outcomeSeq: number): void;
  /** The row as it is once the mark is in the table. */
  applyTo(row: Notification): Notification;
}

/** More outcomes than a process publishes while a mark waits. Twice as many are remembered at most. */
const REMEMBERED = 8_192;

export function publishedMemory(): PublishedMemory {
  // Two generations: forgetting the oldest one by one makes V8 walk over everything that was forgotten before.
  let young = new Map<NotificationId, number>();
  let old: ReadonlyMap<NotificationId, number> = new Map();
  return {
    note(id, outcomeSeq) {
      young.set(id, outcomeSeq);
      if (young.size < REMEMBERED) return;
      old = young;
      young = new Map();
    },
    applyTo(row) {
      if (!owesOutcome(row) || (young.get(row.id) ?? old.get(row.id)) !== row.outcomeSeq) return row;
      return changed(row, { publishedSeq: row.outcomeSeq, wakeAtMs: null, wakeInLog: false });
    },
  };
}
