// Which parameter carries which part of a Change beside its state: the wait, the trail's new line, the write's token.
// Waits stay waits: Postgres turns them into times.
import type { Change, Wake } from '../domain/change.ts';
import { type Column, isMutable, STATE_COLUMNS } from './row-columns.ts';

export interface ColumnedChange {
  readonly change: Change;
  readonly writeToken: string;
}

const NEXT_COLUMNS: readonly Column<ColumnedChange>[] = STATE_COLUMNS.map(({ name, type, cell }) => ({
  name,
  type,
  cell: ({ change }: ColumnedChange) => cell(change.next),
}));

const WRITE_COLUMNS: readonly Column<ColumnedChange>[] = [
  { name: 'write_token', type: 'uuid', cell: ({ writeToken }) => writeToken },
  { name: 'wake_kept', type: 'bool', cell: ({ change }) => change.wake.kind === 'keep' },
  {
    name: 'wake_wait_ms',
    type: 'float8',
    cell: ({ change }) => (change.wake.kind === 'after' ? change.wake.waitMs : null),
  },
  {
    name: 'wake_named',
    type: 'timestamptz',
    cell: ({ change }) => (change.wake.kind === 'at' ? Math.ceil(change.wake.atMs) : null),
  },
  { name: 'wake_in_log', type: 'bool', cell: ({ change }) => isInLog(change.wake) },
  { name: 'is_next_attempt', type: 'bool', cell: ({ change }) => change.isNextAttempt },
  { name: 'trail_code', type: 'text', cell: ({ change }) => change.trail },
];

/** All of a change: of a row that is new. */
export const CHANGE_COLUMNS: readonly Column<ColumnedChange>[] = [...NEXT_COLUMNS, ...WRITE_COLUMNS];

/** What a change can change of a row that is there. */
export const MUTABLE_COLUMNS: readonly Column<ColumnedChange>[] = [
  ...NEXT_COLUMNS.filter((column) => column.name === 'id' || isMutable(column)),
  ...WRITE_COLUMNS,
];

function isInLog(wake: Wake): boolean {
  return (wake.kind === 'after' || wake.kind === 'at') && wake.inLog;
}

/**
 * The statement's clock, the same for all rows of a flush. `statement_timestamp()` and not `clock_timestamp()`: it is read once, before
 * any wait for a lock, so a lease never reaches further than its claimer counts on.
 */
export const NOW_SQL = `date_trunc('milliseconds', statement_timestamp())`;
export const NOW_MS_SQL = `round(date_part('epoch', ${NOW_SQL}) * 1000)::bigint`;

/** When row `w` wants to be woken; rounded up to whole milliseconds, so that nothing is early. Null: it does not. */
export const WOKEN_SQL = `case when w.wake_wait_ms is null then w.wake_named
  else date_trunc('milliseconds', statement_timestamp() + w.wake_wait_ms * interval '1 millisecond'
       + interval '999 microseconds') end`;

/** `select` of a time as seconds since 1970: shorter and cheaper than text of a timestamp, whatever the session's time zone. */
export function epochSql(column: string): string {
  return `date_part('epoch', ${column})`;
}
