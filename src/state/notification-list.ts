// What an operator's filter becomes: conditions in SQL, values beside them. Constants of the language stay in the text, so that the
// partial indexes on failures and holds can be used.
import type { Channel } from '../domain/channel.ts';
import type { ErrorCode } from '../domain/codes.ts';
import type { HoldReason } from '../domain/hold.ts';
import type { FinalReason, Status } from '../domain/notification.ts';
import type { Value } from './asking.ts';
import { ROW_SQL } from './row-reading.ts';
import type { Statement } from './statement.ts';

export interface NotificationFilter {
  readonly status?: Status;
  /** A reason, or whether there is any. */
  readonly final?: FinalReason | 'any' | 'none';
  readonly errorCode?: ErrorCode;
  readonly channel?: Channel;
  readonly hold?: HoldReason;
  /** Rows to which something happened at or after this time, epoch ms: created, attempted or decided. */
  readonly sinceMs?: number;
  /** At most MAX_LISTED. */
  readonly limit: number;
}

export const MAX_LISTED = 1_000;

/** What happened last to a row; also the key of index notifications_failed. */
const EVENT_SQL = 'greatest(n.created_at, n.last_attempt_at, n.outcome_at)';

interface Condition {
  readonly sql: (parameter: string) => string;
  readonly value?: Value;
}

/** Newest event first. The statement's name tells which conditions it has. */
export function listQuery(
  schema: string,
  filter: NotificationFilter,
): { readonly statement: Statement; readonly values: readonly Value[] } {
  const conditions = conditionsOf(filter);
  const values: Value[] = [];
  const where = conditions.map(({ sql, value }) => {
    if (value !== undefined) values.push(value);
    return sql(`$${values.length}`);
  });
  values.push(Math.min(filter.limit, MAX_LISTED));
  const sql = `select ${ROW_SQL} from ${schema}.notifications as n
where ${['true', ...where].join(' and ')}
order by ${EVENT_SQL} desc, n.id limit $${values.length}::int4`;
  return { statement: { name: '', text: sql }, values };
}

function conditionsOf({
  status,
  final,
  errorCode,
  channel,
  hold,
  sinceMs,
}: NotificationFilter): readonly Condition[] {
  return [
    ...(status === undefined ? [] : [{ sql: () => STATUS_SQL[status] }]),
    ...(final === undefined ? [] : [finalCondition(final)]),
    ...(errorCode === undefined ? [] : [{ sql: (at: string) => `n.error_code = ${at}`, value: errorCode }]),
    ...(channel === undefined ? [] : [{ sql: (at: string) => `n.channel = ${at}`, value: channel }]),
    ...(hold === undefined
      ? []
      : [{ sql: (at: string) => `n.hold_reason is not null and n.hold_reason = ${at}`, value: hold }]),
    ...(sinceMs === undefined
      ? []
      : [{ sql: (at: string) => `${EVENT_SQL} >= to_timestamp(${at}::float8 / 1000)`, value: sinceMs }]),
  ];
}

const STATUS_SQL: Readonly<Record<Status, string>> = {
  Pending: `n.status = 'Pending'`,
  Failed: `n.status = 'Failed'`,
  Sent: `n.status = 'Sent'`,
};

function finalCondition(final: FinalReason | 'any' | 'none'): Condition {
  if (final === 'any') return { sql: () => 'n.final is not null' };
  if (final === 'none') return { sql: () => 'n.final is null' };
  return { sql: (at) => `n.final = ${at}`, value: final };
}
