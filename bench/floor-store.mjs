// The floor's table, written by group commit: a lane flushes what gathered during its last flush, as one statement and so one commit.
// Admissions are deduplicated by the primary key, settlements are version-checked.
import pg from 'pg';

const WRITER_LANES = 2;
const MAX_FLUSH_ROWS = 250;
const TABLE = 'bench_floor.notifications';

const FRESH_TABLE = `
drop schema if exists bench_floor cascade;
create schema bench_floor;
create table ${TABLE} (
  id uuid primary key,
  version int4 not null,
  status text not null,
  attempts int4 not null,
  message_id text,
  request json not null,
  created_at timestamptz not null default now(),
  settled_at timestamptz
) with (fillfactor = 80);`;

const FLUSH = {
  name: 'floor_flush',
  rowMode: 'array',
  text: `with admitted as (
  insert into ${TABLE} (id, version, status, attempts, request)
  select id, 1, 'Pending', 1, request::json from unnest($1::uuid[], string_to_array($2, E'\\n')) as a(id, request)
  on conflict (id) do nothing returning id
), settled as (
  update ${TABLE} n
  set version = n.version + 1, status = s.status, attempts = s.attempts, message_id = s.message_id, settled_at = now()
  from unnest($3::uuid[], $4::int4[], $5::text[], $6::int4[], $7::text[]) as s(id, version, status, attempts, message_id)
  where n.id = s.id and n.version = s.version returning n.id
)
select (select string_agg(id::text, ',') from admitted), (select string_agg(id::text, ',') from settled)`,
};

/** Forgets what an earlier run left. */
export async function openFloorStore(databaseUrl) {
  const lanes = await Promise.all(Array.from({ length: WRITER_LANES }, () => openLane(databaseUrl)));
  await lanes[0].client.query(FRESH_TABLE);
  const laneOf = (id) => lanes[id.charCodeAt(35) % WRITER_LANES];
  return {
    /** False: the id was there before. `request`: its JSON. */
    admit: (id, request) => laneOf(id).write({ isAdmission: true, id, request }),
    /** False: another version was there. */
    settle: (settlement) => laneOf(settlement.id).write({ isAdmission: false, ...settlement }),
    close: () => Promise.all(lanes.map(({ client }) => client.end())),
  };
}

async function openLane(connectionString) {
  // The table grows from nothing during a run: no plan may be made from what it looked like at the start.
  const options = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off';
  const client = new pg.Client({ connectionString, options });
  await client.connect();
  const waiting = [];
  let isFlushing = false;
  const flushAll = async () => {
    isFlushing = true;
    while (waiting.length > 0) await flush(client, waiting.splice(0, MAX_FLUSH_ROWS));
    isFlushing = false;
  };
  const write = (row) =>
    new Promise((resolve, reject) => {
      waiting.push({ row, resolve, reject });
      if (!isFlushing) void flushAll();
    });
  return { client, write };
}

async function flush(client, batch) {
  const admissions = batch.filter(({ row }) => row.isAdmission);
  const settlements = batch.filter(({ row }) => !row.isAdmission);
  try {
    const { rows } = await client.query({ ...FLUSH, values: valuesOf(admissions, settlements) });
    const [[admitted, settled]] = rows;
    answer(admissions, admitted);
    answer(settlements, settled);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

function valuesOf(admissions, settlements) {
  const of = (entries, cell) => `{${entries.map(({ row }) => cell(row)).join(',')}}`;
  return [
    of(admissions, ({ id }) => id),
    // JSON has no line ends of its own: nothing to escape.
    admissions.map(({ row }) => row.request).join('\n'),
    of(settlements, ({ id }) => id),
    of(settlements, ({ version }) => version),
    of(settlements, ({ status }) => status),
    of(settlements, ({ attempts }) => attempts),
    of(settlements, ({ messageId }) => (messageId === null ? 'null' : quoted(messageId))),
  ];
}

function quoted(text) {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function answer(entries, written) {
  const ids = new Set(written === null ? [] : written.split(','));
  for (const { row, resolve } of entries) resolve(ids.has(row.id));
}
