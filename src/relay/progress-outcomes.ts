// What became of the notifications, and what the sources still have to be told about it.
import type { NotificationId } from '../domain/notification-id.ts';
import { epochMs, integer, text, textOrNull } from '../state/cells.ts';
import { encodeArray } from '../state/column-array.ts';
import type { PostgresPool } from '../state/postgres-pool.ts';
import type { Statement } from '../state/statement.ts';
import type { Outcome, RelayProgress } from './progress.ts';

const RELAYED = `relayed_at = coalesce(r.relayed_at, date_trunc('milliseconds', statement_timestamp())), due_at = null`;

type Outcomes = Pick<RelayProgress, 'settle' | 'owedStamps' | 'stamped'>;

export function outcomes(pool: PostgresPool, schema: string): Outcomes {
  const sql = outcomeStatements(schema);
  return {
    async settle(told) {
      if (told.length === 0) return [];
      const newest = newestOf(told);
      const columns = [
        encodeArray(
          'uuid',
          newest.map(({ id }) => id),
        ),
        encodeArray(
          'int4',
          newest.map(({ seq }) => seq),
        ),
        encodeArray(
          'text',
          newest.map(({ status }) => status),
        ),
        encodeArray(
          'text',
          newest.map(({ reason }) => reason),
        ),
        encodeArray(
          'timestamptz',
          newest.map(({ atMs }) => atMs),
        ),
      ];
      const single = await pool.ask(sql.single, columns);
      // Their rows are looked at also when nothing changed here: the one before may have died between these two statements.
      const families = await pool.ask(sql.children, columns);
      const rowIds = [...new Set(families.map(([rowId]) => text(rowId)))];
      const parents = rowIds.length === 0 ? [] : await pool.ask(sql.parents, [encodeArray('uuid', rowIds)]);
      return [...new Set([...single, ...parents].map(([source]) => text(source)))];
    },
    async owedStamps(source, limit) {
      const rows = await pool.ask(sql.owedStamps, [source, limit]);
      return rows.map(([id, seq, status, reason, at]) => ({
        id: text(id),
        seq: integer(seq),
        status: text(status) as Outcome['status'],
        reason: textOrNull(reason),
        atMs: epochMs(at),
      }));
    },
    async stamped(source, stamps) {
      if (stamps.length === 0) return;
      const ids = encodeArray(
        'uuid',
        stamps.map(({ id }) => id),
      );
      await pool.ask(sql.stamped, [
        source,
        ids,
        encodeArray(
          'int4',
          stamps.map(({ seq }) => seq),
        ),
      ]);
    },
  };
}

function newestOf(told: readonly Outcome[]): readonly Outcome[] {
  const newest = new Map<NotificationId, Outcome>();
  for (const outcome of told)
    if (outcome.seq > (newest.get(outcome.id)?.seq ?? 0)) newest.set(outcome.id, outcome);
  return [...newest.values()];
}

function outcomeStatements(schema: string) {
  const statement = (name: string, sql: string): Statement => ({ name: `pin_relay_${name}`, text: sql });
  const told =
    'unnest($1::uuid[], $2::int4[], $3::text[], $4::text[], $5::timestamptz[]) as e (id, seq, status, reason, at)';
  const set = 'outcome_seq = e.seq, outcome_status = e.status, outcome_reason = e.reason, outcome_at = e.at';
  return {
    // An outcome proves that the log has the record, also when nobody lived to write that down.
    single: statement(
      'settle',
      `update ${schema}.relay_rows as r set ${set}, ${RELAYED}
from ${told} where r.id = e.id and r.recipients = 1 and r.outcome_seq < e.seq returning r.source`,
    ),
    children: statement(
      'settle_children',
      `with newer as (
  update ${schema}.relay_children as c set ${set} from ${told} where c.id = e.id and c.outcome_seq < e.seq)
select distinct row_id from ${schema}.relay_children where id = any($1::uuid[])`,
    ),
    // A row with several recipients is final when all of them are, and failed when one of them is. Its number only grows: the sum of theirs.
    parents: statement(
      'settle_parents',
      `with family as (
  select row_id, source, sum(outcome_seq)::int4 as seq, max(outcome_at) as at, count(*) as size,
    count(*) filter (where outcome_status = 'Failed') as failed,
    min(outcome_reason) filter (where outcome_status = 'Failed') as reason
  from ${schema}.relay_children where row_id = any($1::uuid[])
  group by row_id, source having bool_and(outcome_seq > 0))
update ${schema}.relay_rows as r set outcome_seq = f.seq, outcome_at = f.at,
  outcome_status = case when f.failed > 0 then 'Failed' else 'Sent' end,
  outcome_reason = case when f.failed > 0 then f.failed || ' of ' || f.size || ' recipients failed: ' || f.reason end,
  ${RELAYED}
from family as f where r.id = f.row_id and r.source = f.source and r.outcome_seq < f.seq returning r.source`,
    ),
    owedStamps: statement(
      'owed_stamps',
      `select id, outcome_seq, outcome_status, outcome_reason, date_part('epoch', outcome_at)
from ${schema}.relay_rows where source = $1 and stamped_seq < outcome_seq limit $2::int4`,
    ),
    stamped: statement(
      'stamped',
      `update ${schema}.relay_rows as r set stamped_seq = e.seq from unnest($2::uuid[], $3::int4[]) as e (id, seq)
where r.id = e.id and r.source = $1 and r.stamped_seq < e.seq and e.seq <= r.outcome_seq`,
    ),
  };
}
