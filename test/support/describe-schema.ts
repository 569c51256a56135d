// The schema as Postgres understood it, as text: what a review of a migration looks at. Needs no pg_dump.
import type { TestDatabase } from './database.ts';

const LINES = `
with tables as (
  select c.oid, c.relname, c.reloptions from pg_class c
  where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
)
select relname as thing, 0 as part, 0 as number, 'table ' || relname || coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') as line
from tables
union all
select t.relname, 1, a.attnum, '  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
  || case when a.attnotnull then ' not null' else '' end
  || case when a.attidentity <> '' then ' identity' else '' end
  || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
union all
select t.relname, 2, row_number() over (order by k.conname), '  constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
from tables t join pg_constraint k on k.conrelid = t.oid and k.contype <> 'n'
union all
select t.relname, 3, row_number() over (order by i.indexrelid::regclass::text), '  ' || pg_get_indexdef(i.indexrelid)
from tables t join pg_index i on i.indrelid = t.oid
union all
select 'zz' || p.proname, 4, 0, pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = $1::regnamespace
order by thing, part, number, line`;

export async function describeSchema(database: TestDatabase): Promise<string> {
  const lines = await database.query<{ line: string }>(LINES, [database.schema]);
  return `${lines.map(({ line }) => line).join('\n')}\n`;
}
