// Looks after what was relayed: records that nobody received, outcomes that nobody told us, rows that are long over, and the counts.
import type { NotificationId } from '../domain/notification-id.ts';
import { epochMs, flag, integer, text } from '../state/cells.ts';
import { encodeArray } from '../state/column-array.ts';
import type { PostgresPool } from '../state/postgres-pool.ts';
import type { Statement } from '../state/statement.ts';
import { failureReason } from './failure-reason.ts';
import type { Outcome, RelayProgress } from './progress.ts';

type Watching = Pick<RelayProgress, 'check' | 'purge' | 'counts'>;

/** A notification that is there and not final is looked at again after this; its outcome is told long before as a rule. */
const RECHECK_MINUTES = 30;
const NOTHING = { missing: 0, outcomes: [], looked: 0 };

export function watching(pool: PostgresPool, schema: string): Watching {
  const sql = watchStatements(schema);
  return {
    async check(source, limit) {
      const due = await pool.ask(sql.check, [source, limit]);
      if (due.length === 0) return NOTHING;
      const ids = encodeArray(
        'uuid',
        due.map(([id]) => text(id)),
      );
      return {
        looked: due.length,
        missing: due.filter(([, isKnown]) => !flag(isKnown)).length,
        outcomes: (await pool.ask(sql.finals, [ids])).map(outcomeOf),
      };
    },
    async purge(sources, retentionMs, limit) {
      const rows = await pool.ask(sql.purge, [encodeArray('text', sources), retentionMs, limit]);
      return integer(rows[0]?.[0]);
    },
    async counts(source) {
      const [row] = await pool.ask(sql.counts, [source]);
      return { claimed: integer(row?.[0]), waiting: integer(row?.[1]), unstamped: integer(row?.[2]) };
    },
  };
}

function outcomeOf([id, seq, status, reason, code, at]: readonly (string | null | undefined)[]): Outcome {
  return {
    id: text(id) as NotificationId,
    seq: integer(seq),
    status: text(status) as Outcome['status'],
    reason: failureReason(text(status), code ?? null, text(reason)),
    atMs: epochMs(at),
  };
}

function watchStatements(
  schema: string,
): Readonly<Record<'check' | 'finals' | 'purge' | 'counts', Statement>> {
  const statement = (name: string, sql: string): Statement => ({ name: `pin_relay_${name}`, text: sql });
  const [rows, children, notifications] = ['relay_rows', 'relay_children', 'notifications'].map(
    (table) => `${schema}.${table}`,
  );
  return {
    check: statement(
      'check',
      `with due as (
  select id, source, recipients from ${rows}
  where source = $1 and relayed_at is not null and due_at <= statement_timestamp()
  order by due_at limit $2::int4 for update skip locked),
found as (
  select id, source, case when recipients = 1 then exists (select from ${notifications} as n where n.id = due.id)
    else not exists (select from ${children} as c where c.row_id = due.id and c.source = due.source
      and not exists (select from ${notifications} as n where n.id = c.id)) end as is_known
  from due)
update ${rows} as r set
  relayed_at = case when f.is_known then r.relayed_at end,
  due_at = case when f.is_known then statement_timestamp() + interval '${RECHECK_MINUTES} minutes' else statement_timestamp() end
from found as f where r.id = f.id and r.source = f.source returning r.id, f.is_known`,
    ),
    finals: statement(
      'finals',
      `select n.id, n.outcome_seq, n.outcome ->> 'status', n.outcome ->> 'reason', n.outcome -> 'error' ->> 'code',
  date_part('epoch', n.outcome_at)
from ${notifications} as n
where n.final is not null and n.outcome_seq > 0 and n.published_seq = n.outcome_seq and n.outcome is not null
  and n.id in (select unnest($1::uuid[]) union all select c.id from ${children} as c where c.row_id = any($1::uuid[]))`,
    ),
    purge: statement(
      'purge',
      `with old as (
  select ctid from ${rows} where outcome_at < statement_timestamp() - $2::float8 * interval '1 millisecond'
    and stamped_seq = outcome_seq and source = any($1::text[]) limit $3::int4),
gone as (delete from ${rows} where ctid = any(array(select ctid from old)) returning id)
select count(*) from gone`,
    ),
    counts: statement(
      'counts',
      `select count(*) filter (where relayed_at is null), count(*) filter (where relayed_at is not null),
  (select count(*) from ${rows} where source = $1 and stamped_seq < outcome_seq)
from ${rows} where source = $1 and due_at is not null`,
    ),
  };
}
