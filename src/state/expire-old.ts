// Deletes what is old enough: one statement for a batch, each along an index, the oldest first. None of these tables is read by age on the way
// of a notification.
import { invariant } from '../runtime/fault.ts';
import { integer } from './cells.ts';
import { NOW_SQL } from './change-columns.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { type Expiring, MAX_PURGE_ROWS, type Retention } from './retention.ts';
import type { Statement } from './statement.ts';

export function expireOld(pool: PostgresPool, schema: string): Retention['expire'] {
  const statements = expireStatements(schema);
  return async (what, keepMs, limit) => {
    invariant(limit <= MAX_PURGE_ROWS, `a batch of ${limit} rows`);
    const [row] = await pool.ask(statements[what], [keepMs, limit]);
    return integer(row?.[0]);
  };
}

const OLD_SQL = `${NOW_SQL} - $1::float8 * interval '1 millisecond'`;

/** `$1` keep ms, `$2` limit. */
export function expireStatements(schema: string): Readonly<Record<Expiring, Statement>> {
  const tombstoneAge = 'coalesce(c.purged_at, c.stored_at)';
  const deleting = (table: string, key: string, age: string) => `with gone as (
  delete from ${schema}.${table} where (${key}) in (
    select ${key} from ${schema}.${table} where ${age} < ${OLD_SQL} order by ${age} limit $2::int4)
  returning 1
)
select count(*) from gone`;
  return {
    // A live row whose content somebody deleted by hand stays, whatever its age.
    tombstones: {
      name: 'pin_expire_tombstones',
      text: `with old as materialized (
  select c.id from ${schema}.notification_contents as c
  where c.request is null and ${tombstoneAge} < ${OLD_SQL} order by ${tombstoneAge} limit $2::int4
), gone as (
  delete from ${schema}.notifications as n using old
  where n.id = old.id and n.final is not null and n.published_seq = n.outcome_seq and n.wake_at is null returning n.id
), emptied as (
  delete from ${schema}.notification_contents as c using gone where c.id = gone.id
)
select count(*) from gone`,
    },
    'message-refs': {
      name: 'pin_expire_refs',
      text: deleting('message_refs', 'provider, message_id', 'named_at'),
    },
    'refused-commands': {
      name: 'pin_expire_refusals',
      text: deleting('refused_commands', 'command_id', 'refused_at'),
    },
    // Entries are numbered as they come: the lowest numbers are the oldest, so their age needs no index.
    quarantine: {
      name: 'pin_expire_quarantine',
      text: `with first as materialized (select id, at from ${schema}.quarantine order by id limit $2::int4), gone as (
  delete from ${schema}.quarantine as q using first where q.id = first.id and first.at < ${OLD_SQL} returning 1
)
select count(*) from gone`,
    },
  };
}
