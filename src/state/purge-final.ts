// Shrinks final rows to tombstones, in place: one statement for a batch, found along the index of the oldest contents.
import type { NotificationId } from '../domain/notification-id.ts';
import { PURGED } from '../domain/tombstone.ts';
import { invariant } from '../runtime/fault.ts';
import { epochMs, integer, text } from './cells.ts';
import { epochSql, NOW_MS_SQL, NOW_SQL } from './change-columns.ts';
import { SHOWN_SQL } from './inbox-table.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { MAX_PURGE_ROWS, type Retention } from './retention.ts';
import type { Statement } from './statement.ts';

const BEGINNING = { storedAtMs: 0, id: '00000000-0000-0000-0000-000000000000' };

export function purgeFinal(pool: PostgresPool, schema: string): Retention['purgeFinal'] {
  const statement = purgeFinalStatement(schema);
  return async ({ after, limit, keepMs, keepUnreadMs }) => {
    invariant(limit <= MAX_PURGE_ROWS, `a batch of ${limit} rows`);
    const { storedAtMs, id } = after ?? BEGINNING;
    const [row] = await pool.ask(statement, [keepMs, keepUnreadMs, storedAtMs, id, limit]);
    const [purged, seen, lastStoredAt, lastId] = row ?? [];
    const isLast = integer(seen) < limit;
    return {
      purged: integer(purged),
      next: isLast ? null : { storedAtMs: epochMs(lastStoredAt), id: text(lastId) as NotificationId },
    };
  };
}

/** What a tombstone loses beside its trail and its content; see domain/tombstone.ts. */
const EMPTIED = [
  ...['unknown_attempt', 'unknown_provider', 'unknown_since', 'unknown_resolution', 'unknown_is_resent'],
  ...['hold_reason', 'error_code', 'error_class', 'error_provider_code', 'provider_key'],
  ...['provider_message_id', 'outcome'],
  ...['in_app_user', 'read_at', 'delivered_at', 'seen_at', 'complained_at', 'unsubscribed_at', 'closed_at'],
  ...['cancel_by', 'command_ids', 'not_before', 'not_after', 'next_attempt_at'],
  ...['first_attempt_at', 'last_attempt_at'],
];

const before = (parameter: string) => `${NOW_SQL} - ${parameter}::float8 * interval '1 millisecond'`;

/**
 * `$1` keep ms, `$2` keep unread ms, `$3` and `$4` the cursor, `$5` limit. The guards stand where the rows are locked, so a row that somebody
 * changed meanwhile is judged as it is now; one that is locked is left for the next pass.
 */
export function purgeFinalStatement(schema: string): Statement {
  return {
    name: 'pin_purge_final',
    text: `with old as materialized (
  select c.id, c.stored_at from ${schema}.notification_contents as c
  where c.request is not null and c.stored_at < ${before('$1')}
    and (c.stored_at, c.id) > (to_timestamp($3::float8 / 1000)::timestamptz(3), $4::uuid)
  order by c.stored_at, c.id limit $5::int4
), free as materialized (
  select n.id from old join ${schema}.notifications as n on n.id = old.id
  where n.final is not null and n.published_seq = n.outcome_seq and n.wake_at is null and n.claim_token is null
    and greatest(n.created_at, n.last_attempt_at, n.outcome_at) < ${before('$1')}
    and not (${SHOWN_SQL} and n.read_at is null
      and greatest(n.created_at, n.not_before) >= ${before('$2')})
  order by n.id for update of n skip locked
), shrunk as (
  update ${schema}.notifications as n set version = n.version + 1, evidence = '[]', in_app_status = 'none',
    trail = ${schema}.append_trail('', '${PURGED}', ${NOW_MS_SQL}), ${EMPTIED.map((name) => `${name} = null`).join(', ')}
  from free where n.id = free.id returning n.id
), emptied as (
  update ${schema}.notification_contents as c
  set request = null, recipient_hash = '', traceparent = null, purged_at = ${NOW_SQL}
  from shrunk where c.id = shrunk.id
)
select (select count(*) from shrunk), (select count(*) from old), ${epochSql('last.stored_at')}, last.id
from (select 1) as one left join lateral (
  select * from old order by stored_at desc, id desc limit 1) as last on true`,
  };
}
