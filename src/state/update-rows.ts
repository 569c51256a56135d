// Changes rows where their version is the expected one. One statement for all rows of a flush.
import { committedRow } from '../domain/committed-row.ts';
import type { Notification, NotificationState } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { epochMs, epochMsOrNull, flag, integer, type TextCell, text } from './cells.ts';
import {
  CHANGE_COLUMNS,
  epochSql,
  MUTABLE_COLUMNS,
  NOW_MS_SQL,
  NOW_SQL,
  WOKEN_SQL,
} from './change-columns.ts';
import { CONTENT_COLUMNS } from './content-columns.ts';
import {
  type Column,
  columnNames,
  columnParameters,
  encodeColumns,
  isMutable,
  STATE_COLUMNS,
} from './row-columns.ts';
import type { Statement } from './statement.ts';
import type { RowWrite } from './store.ts';

const EXPECTED_VERSION: Column<RowWrite> = {
  name: 'expected_version',
  type: 'int4',
  cell: ({ expectedVersion }) => expectedVersion,
};
const COLUMNS: readonly Column<RowWrite>[] = [...MUTABLE_COLUMNS, EXPECTED_VERSION];
const REPLACING_COLUMNS: readonly Column<RowWrite>[] = [
  ...CHANGE_COLUMNS,
  EXPECTED_VERSION,
  ...CONTENT_COLUMNS.map(({ name, type, cell }) => ({
    name,
    type,
    cell: ({ content }: RowWrite) => cell(content ?? null),
  })),
];

/** Also a mark that never comes leaves nothing behind: a final row that owes nothing has nothing due. */
const OWES_NOTHING_SQL =
  'w.wake_kept and w.final is not null and greatest(n.published_seq, w.published_seq) = w.outcome_seq';
const WAKE_SQL = `case when ${OWES_NOTHING_SQL} then null when w.wake_kept then n.wake_at else ${WOKEN_SQL} end`;
const IS_NEW_CLAIM_SQL = 'w.claim_token is not null and w.claim_token is distinct from n.claim_token';

/**
 * Guard: the version, and nothing else. `published_seq` only rises, because a mark may have come in between (it changes no version).
 * `wake_seq` changes with every wake-up that is not kept, so that a record of the old one is recognised.
 */
export function updateStatement(schema: string): Statement {
  return { name: 'pin_update_rows', text: updateSql(schema, COLUMNS, isMutable) };
}

/** The same for rows whose place is taken by a request: its content and what is otherwise set at birth come with the change. */
export function replaceStatement(schema: string): Statement {
  const update = updateSql(schema, REPLACING_COLUMNS, ({ name }) => name !== 'id');
  return {
    name: 'pin_replace_rows',
    text: `with changed as (${update}), contents as (
  insert into ${schema}.notification_contents (id, payload_hash, recipient_hash, traceparent, request)
  select w.id, w.payload_hash, w.recipient_hash, w.traceparent, w.request::json
  from unnest(${columnParameters(REPLACING_COLUMNS)}) as w (${columnNames(REPLACING_COLUMNS)})
  join changed on changed.id = w.id
  on conflict (id) do update set payload_hash = excluded.payload_hash, recipient_hash = excluded.recipient_hash,
    traceparent = excluded.traceparent, request = excluded.request
)
select * from changed`,
  };
}

function updateSql(
  schema: string,
  columns: readonly Column<RowWrite>[],
  isCopied: (column: { readonly name: string }) => boolean,
): string {
  const copied = STATE_COLUMNS.filter((column) => isCopied(column) && column.name !== 'published_seq')
    .map(({ name }) => `${name} = w.${name}`)
    .join(', ');
  return `update ${schema}.notifications as n set ${copied},
  version = n.version + 1,
  write_token = w.write_token,
  published_seq = greatest(n.published_seq, w.published_seq),
  wake_at = ${WAKE_SQL},
  wake_seq = case when w.wake_kept then n.wake_seq else n.wake_seq + 1 end,
  wake_in_log = case when ${OWES_NOTHING_SQL} then false when w.wake_kept then n.wake_in_log else w.wake_in_log end,
  next_attempt_at = case when w.is_next_attempt then ${WAKE_SQL} else n.next_attempt_at end,
  first_attempt_at = case when ${IS_NEW_CLAIM_SQL} then coalesce(n.first_attempt_at, ${NOW_SQL})
    else n.first_attempt_at end,
  last_attempt_at = case when ${IS_NEW_CLAIM_SQL} then ${NOW_SQL} else n.last_attempt_at end,
  outcome_at = case when w.outcome_seq > n.outcome_seq then ${NOW_SQL} else n.outcome_at end,
  trail = ${schema}.append_trail(n.trail, w.trail_code, ${NOW_MS_SQL})
from unnest(${columnParameters(columns)}) as w (${columnNames(columns)})
where n.id = w.id and n.version = w.expected_version
returning n.id, n.version, n.wake_seq, n.wake_in_log, n.published_seq, n.trail, ${epochSql('n.wake_at')} as woken_at,
  ${epochSql('n.next_attempt_at')} as next_at, ${epochSql('n.created_at')} as made_at,
  ${epochSql('n.first_attempt_at')} as first_at, ${epochSql('n.last_attempt_at')} as last_at,
  ${epochSql('n.outcome_at')} as told_at`;
}

/** @throws UnstorableValue */
export function updateParameters(writes: readonly RowWrite[]): readonly Buffer[] {
  return encodeColumns(COLUMNS, writes);
}

/** @throws UnstorableValue */
export function replaceParameters(writes: readonly RowWrite[]): readonly Buffer[] {
  return encodeColumns(REPLACING_COLUMNS, writes);
}

/** The committed rows: what the change said, and what the statement decided. */
export function updatedRows(
  writes: readonly RowWrite[],
  answer: readonly (readonly TextCell[])[],
): readonly Notification[] {
  const states = new Map(writes.map(({ change }) => [change.next.id, change.next]));
  return answer.flatMap(
    ([
      id,
      version,
      wakeSeq,
      wakeInLog,
      publishedSeq,
      trail,
      wakeAt,
      nextAt,
      createdAt,
      firstAt,
      lastAt,
      outcomeAt,
    ]) => {
      const state = states.get(text(id) as NotificationId);
      if (state === undefined) return [];
      return [
        committedRow(withMark(state, integer(publishedSeq)), {
          version: integer(version),
          wakeSeq: integer(wakeSeq),
          wakeInLog: flag(wakeInLog),
          trail: text(trail),
          wakeAtMs: epochMsOrNull(wakeAt),
          nextAttemptAtMs: epochMsOrNull(nextAt),
          createdAtMs: epochMs(createdAt),
          firstAttemptAtMs: epochMsOrNull(firstAt),
          lastAttemptAtMs: epochMsOrNull(lastAt),
          outcomeAtMs: epochMsOrNull(outcomeAt),
        }),
      ];
    },
  );
}

/** A mark that came in between is in the row. */
function withMark(state: NotificationState, publishedSeq: number): NotificationState {
  return state.publishedSeq === publishedSeq ? state : { ...state, publishedSeq };
}
