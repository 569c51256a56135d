// Another service's outbox table for one test: its own schema, a role for the relay with the rights that are shipped and no more, and what
// stands in the rows by plain SQL.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { until } from './until.ts';

export interface OutboxTable {
  readonly schema: string;
  readonly role: string;
  /** As the relay logs in. */
  readonly relayUrl: string;
  /** As the service itself. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** A connection of the service, for transactions. The caller ends it. */
  connect(): Promise<pg.Client>;
  /** Adds a row and returns its id. */
  add(row?: Partial<NewRow>): Promise<string>;
  row(id: string): Promise<Record<string, unknown>>;
  /** @throws Fault TEST_WAITED with the row as it was last */
  rowWhere(id: string, holds: (row: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** Runs a file of deploy/sql on the table. */
  run(file: 'relay-grants.sql' | 'relay-index.sql' | 'relay-notify.sql'): Promise<void>;
  drop(): Promise<void>;
}

export interface NewRow {
  readonly id: string;
  readonly type: string;
  readonly payload: unknown;
  readonly companyId: string | null;
  readonly occurredAt: string;
}

const TABLE = `create table outbox_events (
  id uuid primary key, event_type text not null, aggregate_type text, aggregate_id text, payload jsonb not null, company_id uuid,
  org_unit_id text, correlation_id text, causation_id text, occurred_at timestamptz not null default now(),
  published_at timestamptz, failed_at timestamptz, failure_reason text, version integer not null default 0)`;

const INSERT = `insert into outbox_events (id, event_type, aggregate_type, aggregate_id, payload, company_id, occurred_at)
values ($1, $2, 'Order', '4711', $3, $4, coalesce($5::timestamptz, now()))`;

export function aMail(over: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { channel: 'email', to: 'ada@example.com', body: { subject: 'Hello', text: 'Hello, Ada' }, ...over };
}

export async function insertRow(
  client: Pick<pg.Client, 'query'>,
  over: Partial<NewRow> = {},
): Promise<string> {
  const { id = randomUUID(), type = 'NotificationRequested', payload = aMail(), companyId = null } = over;
  await client.query(INSERT, [id, type, JSON.stringify(payload), companyId, over.occurredAt ?? null]);
  return id;
}

export async function outboxTable(serverUrl: string): Promise<OutboxTable> {
  const name = randomUUID().slice(0, 8);
  const [schema, role] = [`shop_${name}`, `relay_${name}`];
  const relayUrl = new URL(serverUrl);
  relayUrl.username = role;
  relayUrl.password = name;
  const config = { connectionString: serverUrl, options: `-c search_path=${schema}` };
  const pool = new pg.Pool({ ...config, max: 2 });
  // A test may take the server away: the next query says so.
  pool.on('error', () => undefined);
  const query = async (text: string, values: readonly unknown[] = []) =>
    (await pool.query<Record<string, unknown>>(text, [...values])).rows;
  await query(`create schema ${schema}`);
  await query(`create role ${role} login password '${name}'`);
  await query(TABLE);
  const row = async (id: string) => (await query('select * from outbox_events where id = $1', [id]))[0] ?? {};
  const run = async (file: string) => {
    for (const statement of statementsOf(file, { schema, role, table: 'outbox_events', type: 'event_type' }))
      await query(statement);
  };
  await run('relay-grants.sql');
  return {
    ...{ schema, role, relayUrl: relayUrl.href, query, row, run },
    async connect() {
      const client = new pg.Client(config);
      client.on('error', () => undefined);
      await client.connect();
      return client;
    },
    add: (over) => insertRow(pool as unknown as pg.Client, over),
    rowWhere(id, holds) {
      let last: Record<string, unknown> = {};
      return until(
        () => `another row than ${JSON.stringify(last)}`,
        async () => {
          last = await row(id);
          return holds(last) ? last : null;
        },
      );
    },
    async drop() {
      await query(`drop schema ${schema} cascade`);
      await query(`drop owned by ${role}`);
      await query(`drop role ${role}`);
      await pool.end();
    },
  };
}

/** The statements as psql would send them: its variables filled in, one by one since an index must not be built in a transaction. */
function statementsOf(file: string, variables: Readonly<Record<string, string>>): readonly string[] {
  const script = readFileSync(new URL(`../../deploy/sql/${file}`, import.meta.url), 'utf8');
  const code = script.replaceAll(/^--.*$/gm, '');
  const filled = code
    .replaceAll(/:"(\w+)"/g, (_, name: string) => `"${variables[name] ?? name}"`)
    .replaceAll(/:'(\w+)'/g, (_, name: string) => `'${variables[name] ?? name}'`);
  return filled.split(/;\s*$(?![\s\S]*?\$body\$;)/m).flatMap((part) => (part.trim() === '' ? [] : [part]));
}
