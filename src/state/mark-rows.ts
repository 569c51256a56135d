// Marks outcomes as acknowledged by the log. One statement for all marks of a flush.
import type { Mark } from './flush.ts';
import { type Column, columnNames, columnParameters, encodeColumns } from './row-columns.ts';
import type { Statement } from './statement.ts';

const COLUMNS: readonly Column<Mark>[] = [
  { name: 'id', type: 'uuid', cell: ({ id }) => id },
  { name: 'seq', type: 'int4', cell: ({ outcomeSeq }) => outcomeSeq },
];

/**
 * No version bump: a mark is no decision. `wake_at` goes only when the row is final and this is its last outcome; a row that was
 * reopened meanwhile keeps its timer. The last line skips rows that a repeated mark would not change.
 */
export function markStatement(schema: string): Statement {
  return {
    name: 'pin_mark_rows',
    text: `update ${schema}.notifications as n set
  published_seq = greatest(n.published_seq, m.seq),
  wake_at = case when n.final is not null and n.outcome_seq = m.seq then null else n.wake_at end,
  wake_in_log = n.wake_in_log and not (n.final is not null and n.outcome_seq = m.seq)
from unnest(${columnParameters(COLUMNS)}) as m (${columnNames(COLUMNS)})
where n.id = m.id
  and (n.published_seq < m.seq or (n.final is not null and n.outcome_seq = m.seq and n.wake_at is not null))`,
  };
}

export function markParameters(marks: readonly Mark[]): readonly Buffer[] {
  return encodeColumns(COLUMNS, marks);
}
