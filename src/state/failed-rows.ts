// Notifications that ended in terminal Failed and that nobody acknowledged, for redrive plans: the oldest end first, so that a plan that
// takes only some leaves the newest.
import type { Channel } from '../domain/channel.ts';
import type { ErrorCode } from '../domain/codes.ts';
import type { Notification } from '../domain/notification.ts';
import type { Value } from './asking.ts';
import { flag, integer } from './cells.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { ROW_CELLS, ROW_SQL, rowOf } from './row-reading.ts';
import type { Statement } from './statement.ts';

export interface FailureFilter {
  readonly channel?: Channel;
  readonly code?: ErrorCode;
  /** null: the platform's own. */
  readonly tenantId?: string | null;
  /** Ended at or after, epoch ms. */
  readonly sinceMs?: number;
  /** Ended before, epoch ms. */
  readonly untilMs?: number;
}

export interface FailedRow {
  readonly row: Notification;
  /** The request is still there. */
  readonly hasContent: boolean;
}

export interface FailedRows {
  /** All that match, also beyond the limit. */
  readonly matched: number;
  readonly rows: readonly FailedRow[];
}

export async function failedRows(
  pool: PostgresPool,
  schema: string,
  filter: FailureFilter,
  limit: number,
): Promise<FailedRows> {
  const { count, list, values } = failedStatements(schema, filter);
  const [[counted], rows] = await Promise.all([pool.ask(count, values), pool.ask(list, [...values, limit])]);
  return {
    matched: integer(counted?.[0]),
    rows: rows.map((cells) => ({ row: rowOf(cells), hasContent: flag(cells[ROW_CELLS]) })),
  };
}

function failedStatements(schema: string, filter: FailureFilter) {
  const values: Value[] = [];
  const at = (value: Value) => `$${values.push(value)}`;
  const { channel, code, tenantId, sinceMs, untilMs } = filter;
  const where = [
    `n.status = 'Failed' and n.final is not null and n.closed_at is null and n.channel <> 'none'`,
    ...(channel === undefined ? [] : [`n.channel = ${at(channel)}`]),
    ...(code === undefined ? [] : [`n.error_code = ${at(code)}`]),
    ...(tenantId === undefined ? [] : [`n.tenant_id is not distinct from ${at(tenantId)}::text`]),
    ...(sinceMs === undefined ? [] : [`n.outcome_at >= to_timestamp(${at(sinceMs)}::float8 / 1000)`]),
    ...(untilMs === undefined ? [] : [`n.outcome_at < to_timestamp(${at(untilMs)}::float8 / 1000)`]),
  ].join(' and ');
  const unnamed = (text: string): Statement => ({ name: '', text });
  return {
    values,
    count: unnamed(`select count(*) from ${schema}.notifications as n where ${where}`),
    list: unnamed(`select ${ROW_SQL}, c.request is not null
from ${schema}.notifications as n left join ${schema}.notification_contents as c on c.id = n.id
where ${where} order by n.outcome_at, n.id limit $${values.length + 1}::int4`),
  };
}
