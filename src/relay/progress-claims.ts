// Claims on rows of a source: taken, taken over, kept, given back.
import { epochMs, text } from '../state/cells.ts';
import { encodeArray } from '../state/column-array.ts';
import type { PostgresPool } from '../state/postgres-pool.ts';
import type { Statement } from '../state/statement.ts';
import type { Claimed, RelayProgress } from './progress.ts';

type Claiming = Pick<
  RelayProgress,
  'claim' | 'takeOver' | 'split' | 'relayed' | 'release' | 'forget' | 'remember' | 'known'
>;

const NOW = `date_trunc('milliseconds', statement_timestamp())`;
/** The longest that a record is left alone: what the log lost is found within a day. */
const MAX_CHECK_HOURS = 24;
const REMEMBERED_MINUTES = 10;

const inMs = (parameter: string) => `${NOW} + ${parameter}::float8 * interval '1 millisecond'`;

export function claiming(pool: PostgresPool, schema: string): Claiming {
  const sql = claimStatements(schema);
  const split: Claiming['split'] = async (source, children) => {
    const [ids, rowIds] = [children.map(({ id }) => id), children.map(({ rowId }) => rowId)];
    await pool.ask(sql.split, [source, encodeArray('uuid', ids), encodeArray('uuid', rowIds)]);
  };
  return {
    async claim(source, ids, leaseMs) {
      // In one order, so that two relays that meet wait for each other and not crosswise.
      const rows = await pool.ask(sql.claim, [source, encodeArray('uuid', [...ids].sort()), leaseMs]);
      return rows.map(claimedOf);
    },
    async takeOver(source, limit, leaseMs) {
      return (await pool.ask(sql.takeOver, [source, limit, leaseMs])).map(claimedOf);
    },
    split,
    async relayed(source, ids, checkAfterMs) {
      await pool.ask(sql.relayed, [source, encodeArray('uuid', ids), checkAfterMs]);
    },
    async release(source, ids, afterMs) {
      await pool.ask(sql.release, [source, encodeArray('uuid', ids), afterMs]);
    },
    async forget(source, ids) {
      await pool.ask(sql.forget, [source, encodeArray('uuid', ids)]);
    },
    async remember(source, rowId, notifications) {
      await pool.ask(sql.remember, [source, rowId]);
      const children = notifications.filter((id) => id !== rowId).map((id) => ({ id, rowId }));
      if (children.length === 0) return;
      const known = await pool.ask(sql.hasChildren, [source, rowId]);
      if (known.length === 0) await split(source, children);
    },
    async known(source, ids) {
      const rows = await pool.ask(sql.known, [source, encodeArray('uuid', ids)]);
      return rows.map(([id]) => text(id));
    },
  };
}

function claimedOf([id, claimedAt]: readonly (string | null | undefined)[]): Claimed {
  return { id: text(id), seenAtMs: epochMs(claimedAt) };
}

function claimStatements(schema: string): Readonly<Record<keyof Claiming | 'hasChildren', Statement>> {
  const statement = (name: string, sql: string): Statement => ({ name: `pin_relay_${name}`, text: sql });
  const table = `${schema}.relay_rows`;
  return {
    claim: statement(
      'claim',
      `insert into ${table} (source, id, claimed_at, due_at)
select $1, id, ${NOW}, ${inMs('$3')} from unnest($2::uuid[]) as fresh (id)
on conflict do nothing returning id, date_part('epoch', claimed_at)`,
    ),
    takeOver: statement(
      'take_over',
      `with free as (
  select id from ${table} where source = $1 and relayed_at is null and due_at <= statement_timestamp()
  order by due_at limit $2::int4 for update skip locked)
update ${table} as r set due_at = ${inMs('$3')} from free where r.id = free.id and r.source = $1
returning r.id, date_part('epoch', r.claimed_at)`,
    ),
    // The number of recipients and the children in one statement: nobody sees one without the other.
    split: statement(
      'split',
      `with child as (select * from unnest($2::uuid[], $3::uuid[]) as child (id, row_id)),
family as (select row_id, count(*)::int4 as size from child group by row_id),
parent as (
  update ${table} as r set recipients = f.size from family as f where r.id = f.row_id and r.source = $1 and r.recipients <> f.size)
insert into ${schema}.relay_children (id, source, row_id)
select id, $1, row_id from child on conflict (id) do nothing`,
    ),
    // An outcome may have been faster than the acknowledgement: then nothing is waited for any more.
    relayed: statement(
      'relayed',
      `update ${table} as r set relayed_at = ${NOW}, relays = r.relays + 1,
  due_at = case when r.outcome_seq = 0 then ${NOW}
    + least($3::float8 * power(2, least(r.relays, 20)) * interval '1 millisecond', interval '${MAX_CHECK_HOURS} hours') end
where r.source = $1 and r.id = any($2::uuid[])`,
    ),
    release: statement(
      'release',
      `update ${table} set due_at = ${inMs('$3')} where source = $1 and id = any($2::uuid[]) and relayed_at is null`,
    ),
    forget: statement('forget', `delete from ${table} where source = $1 and id = any($2::uuid[])`),
    // Looked for in the table too, should its next outcome get lost on the way.
    remember: statement(
      'remember',
      `insert into ${table} (source, id, claimed_at, relayed_at, due_at)
values ($1, $2::uuid, ${NOW}, ${NOW}, ${NOW} + interval '${REMEMBERED_MINUTES} minutes')
on conflict (id, source) do update set due_at = excluded.due_at`,
    ),
    hasChildren: statement(
      'has_children',
      `select from ${schema}.relay_children where source = $1 and row_id = $2::uuid limit 1`,
    ),
    known: statement(
      'known',
      `select id from ${table} where source = $1 and id = any($2::uuid[]) and relayed_at is not null`,
    ),
  };
}
