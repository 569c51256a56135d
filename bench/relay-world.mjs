// An outbox table with the shipped index and trigger, and a relay process over it. What it measures stands in the relay's own table: when
// a row was claimed, and when the log had acknowledged it.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { cpuSeconds } from './cpu.mjs';
import { paced } from './pace.mjs';
import { startPin } from './processor.mjs';
import { quantile } from './quantiles.mjs';
import { openWorld } from './world.mjs';

const PARTITIONS = 12;
const LOOK_EVERY_MS = 50;
const PAYLOAD = `jsonb_build_object('channel', 'email', 'to', 'someone@example.org', 'template', 'welcome',
  'data', jsonb_build_object('name', 'Somebody', 'link', 'https://example.org/confirm/' || n))`;
const TABLE = `create table outbox_events (
  id uuid primary key, event_type text not null, aggregate_type text, aggregate_id text, payload jsonb not null, company_id uuid,
  org_unit_id text, correlation_id text, causation_id text, occurred_at timestamptz not null default clock_timestamp(),
  published_at timestamptz, failed_at timestamptz, failure_reason text, version integer not null default 0)`;

export async function openOutboxWorld(addresses) {
  const world = await openWorld(addresses, {
    vendorUrl: 'http://127.0.0.1:9/',
    calls: 1,
    partitions: PARTITIONS,
  });
  const ours = world.variables.PIN_DATABASE_SCHEMA;
  const schema = `${ours}_shop`;
  const pool = new pg.Pool({
    connectionString: addresses.PIN_DATABASE_URL,
    max: 8,
    options: `-c search_path=${schema}`,
  });
  await pool.query(`create schema ${schema}`);
  await pool.query(TABLE);
  await run(pool, 'relay-index.sql', schema);
  const variables = { ...world.variables, PIN_RELAY_SCHEMAS: schema, PIN_LOG_LEVEL: 'warn' };
  const relayed = async () =>
    Number(
      (await pool.query(`select count(*) from ${ours}.relay_rows where relayed_at is not null`)).rows[0]
        .count,
    );

  /** As a table is that has been there for a while: no load of millions of rows is still being written down beside what is measured. */
  async function settle() {
    await pool.query('vacuum analyze outbox_events');
    await pool.query('checkpoint');
  }

  async function untilRelayed(relay, count) {
    while ((await relayed()) < count) {
      if (relay.hasEnded()) throw new Error(`the relay ended by itself:\n${relay.lastLines()}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  return {
    ...world,
    pool,
    /** `count` new rows, then a relay: how long from its first claim to its last acknowledgement. The rows are published after it. */
    async drain(count) {
      await pool.query(`truncate ${ours}.relay_rows cascade`);
      await pool.query(`insert into outbox_events (id, event_type, payload)
        select gen_random_uuid(), 'NotificationRequested', ${PAYLOAD} from generate_series(1, ${count}) as n`);
      await settle();
      const relay = startPin(['run', 'relay'], variables, null);
      await untilRelayed(relay, 1);
      const [before, first] = [cpuSeconds(relay.pid), await relayed()];
      await untilRelayed(relay, count);
      const cpuPer1000 = ((cpuSeconds(relay.pid) - before) / Math.max(1, count - first)) * 1_000;
      await relay.stop();
      const { rows } = await pool.query(
        `select 1000 * extract(epoch from max(relayed_at) - min(claimed_at)) as ms from ${ours}.relay_rows`,
      );
      await pool.query('update outbox_events set published_at = now() where published_at is null');
      return { count, milliseconds: Number(rows[0].ms), cpuPer1000 };
    },
    async addPublished(count) {
      await pool.query(`insert into outbox_events (id, event_type, payload, occurred_at, published_at)
        select gen_random_uuid(), 'NotificationRequested', ${PAYLOAD}, now() - interval '30 days' + n * interval '1 millisecond', now()
        from generate_series(1, ${count}) as n`);
      await settle();
    },
    /** One transaction for each row; from the commit's answer to the relay's note that the log has it. */
    async pace(perSecond, seconds) {
      await run(pool, 'relay-notify.sql', schema);
      await pool.query(`truncate ${ours}.relay_rows cascade`);
      const relay = startPin(['run', 'relay'], variables, null);
      const committed = new Map();
      const add = async () => {
        const { rows } = await pool.query(`insert into outbox_events (id, event_type, payload)
          select gen_random_uuid(), 'NotificationRequested', ${PAYLOAD} from generate_series(1, 1) as n returning id`);
        committed.set(rows[0].id, Date.now());
      };
      await add();
      await untilRelayed(relay, 1);
      committed.clear();
      const adding = [];
      await paced(perSecond * seconds, perSecond, () => void adding.push(add()));
      await Promise.all(adding);
      await untilRelayed(relay, perSecond * seconds + 1);
      await relay.stop();
      const { rows } = await pool.query(
        `select id, 1000 * extract(epoch from relayed_at) as at from ${ours}.relay_rows`,
      );
      const waits = rows
        .filter(({ id }) => committed.has(id))
        .map(({ id, at }) => Number(at) - committed.get(id));
      return {
        count: waits.length,
        p50: quantile(waits, 0.5),
        p99: quantile(waits, 0.99),
        most: Math.max(...waits),
      };
    },
    async remove() {
      await pool.query(`drop schema ${schema} cascade`);
      await pool.end();
      await world.remove();
    },
  };
}

async function run(pool, file, schema) {
  const script = readFileSync(new URL(`../deploy/sql/${file}`, import.meta.url), 'utf8');
  const known = { schema, table: 'outbox_events', type: 'event_type' };
  const filled = script
    .replaceAll(/^--.*$/gm, '')
    .replaceAll(/:"(\w+)"/g, (_, name) => `"${known[name]}"`)
    .replaceAll(/:'(\w+)'/g, (_, name) => `'${known[name]}'`);
  for (const statement of filled.split(/;\s*$(?![\s\S]*?\$body\$;)/m))
    if (statement.trim() !== '') await pool.query(statement);
}
