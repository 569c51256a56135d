// Inserts rows and their contents. One statement for all rows of a flush.
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { insertedRow } from './applied-change.ts';
import { epochMs, epochMsOrNull, type TextCell, text } from './cells.ts';
import { CHANGE_COLUMNS, epochSql, NOW_MS_SQL, NOW_SQL, WOKEN_SQL } from './change-columns.ts';
import { CONTENT_COLUMNS } from './content-columns.ts';
import { type Column, columnNames, columnParameters, encodeColumns, STATE_COLUMNS } from './row-columns.ts';
import type { Statement } from './statement.ts';
import type { Insertion } from './store.ts';

const COLUMNS: readonly Column<Insertion>[] = [
  ...CHANGE_COLUMNS,
  ...CONTENT_COLUMNS.map(({ name, type, cell }) => ({
    name,
    type,
    cell: ({ content }: Insertion) => cell(content),
  })),
];

/**
 * `ON CONFLICT DO NOTHING` on both tables, and in the same order always: whoever wins the row wins the content, because both commit
 * together. An id that is not returned was not inserted.
 */
export function insertStatement(schema: string): Statement {
  const state = columnNames(STATE_COLUMNS);
  return {
    name: 'pin_insert_rows',
    text: `with w as not materialized (
  select *, ${WOKEN_SQL} as woken from unnest(${columnParameters(COLUMNS)}) as w (${columnNames(COLUMNS)})
), contents as (
  insert into ${schema}.notification_contents (id, payload_hash, recipient_hash, traceparent, request)
  select id, payload_hash, recipient_hash, traceparent, request::json from w
  on conflict (id) do nothing
)
insert into ${schema}.notifications (${state}, version, write_token, wake_at, wake_seq, wake_in_log,
  next_attempt_at, created_at, first_attempt_at, last_attempt_at, outcome_at, trail)
select ${state}, 1, write_token, woken, case when wake_kept then 0 else 1 end, wake_in_log,
  case when is_next_attempt then woken end, ${NOW_SQL},
  case when claim_token is not null then ${NOW_SQL} end,
  case when claim_token is not null then ${NOW_SQL} end,
  case when outcome_seq > 0 then ${NOW_SQL} end,
  ${schema}.append_trail('', trail_code, ${NOW_MS_SQL})
from w
on conflict (id) do nothing
returning id, ${epochSql('created_at')}, ${epochSql('wake_at')}`,
  };
}

/** @throws UnstorableValue */
export function insertParameters(insertions: readonly Insertion[]): readonly Buffer[] {
  return encodeColumns(COLUMNS, insertions);
}

/** The committed rows: everything but the two times was known before. */
export function insertedRows(
  insertions: readonly Insertion[],
  answer: readonly (readonly TextCell[])[],
): readonly Notification[] {
  const changes = new Map(insertions.map(({ change }) => [change.next.id, change]));
  return answer.flatMap(([id, createdAt, wakeAt]) => {
    const change = changes.get(text(id) as NotificationId);
    if (change === undefined) return [];
    const row = insertedRow(change, epochMs(createdAt));
    const wakeAtMs = epochMsOrNull(wakeAt);
    return [{ ...row, wakeAtMs, nextAttemptAtMs: change.isNextAttempt ? wakeAtMs : null }];
  });
}
