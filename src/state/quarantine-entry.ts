// What every reader of the quarantine gets to know of an entry; each adds columns of its own after these.
import type { NotificationId } from '../domain/notification-id.ts';
import { epochMs, epochMsOrNull, integer, integerOrNull, type TextCell, text, textOrNull } from './cells.ts';
import { epochSql } from './change-columns.ts';

export interface QuarantineEntry {
  readonly entry: number;
  readonly atMs: number;
  readonly reason: string;
  readonly detail: string;
  readonly notificationId: NotificationId | null;
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: string | null;
  readonly replayedAtMs: number | null;
}

export const ENTRY_SQL = `id, ${epochSql('at')}, reason, detail, notification_id, topic, partition, "offset", ${epochSql('replayed_at')}`;

/** Cells of `ENTRY_SQL`, and what comes after them. */
export function entryOf(cells: readonly TextCell[]): readonly [QuarantineEntry, readonly TextCell[]] {
  const [entry, at, reason, detail, notificationId, topic, partition, offset, replayedAt, ...more] = cells;
  const read: QuarantineEntry = {
    entry: integer(entry),
    atMs: epochMs(at),
    reason: text(reason),
    detail: text(detail),
    notificationId: textOrNull(notificationId) as NotificationId | null,
    topic: textOrNull(topic),
    partition: integerOrNull(partition),
    offset: textOrNull(offset),
    replayedAtMs: epochMsOrNull(replayedAt),
  };
  return [read, more];
}
