// A database of its own for each test file on real Postgres: created and migrated once, emptied between tests, dropped at the end.
// (A copy of a template for each test was tried: 0.6 to 1.3 s a test, most of it checkpoints.)
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { silentLogger } from '../../src/runtime/logger.ts';
import { migrateUp } from '../../src/state/migrate.ts';

export interface TestDatabase {
  readonly url: string;
  readonly schema: string;
  /** Asks as the owner, on a connection of its own. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Empties every table but the migrations'. */
  clear(): Promise<void>;
  drop(): Promise<void>;
}

const SCHEMA = 'pin';

/** A database without our schema. */
export async function emptyDatabase(serverUrl: string): Promise<TestDatabase> {
  const admin = reconnecting(serverUrl);
  const name = `pin_test_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const client = reconnecting(url.href);
  const query = async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(text, values)).rows;
  return {
    url: url.href,
    schema: SCHEMA,
    query,
    async clear() {
      const tables = await query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
         where schemaname = $1 and tablename <> 'migrations'`,
        [SCHEMA],
      );
      for (const table of tables) await query(`delete from ${table.name}`);
    },
    async drop() {
      await client.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

/** A database with our schema, migrated and empty. */
export async function migratedDatabase(serverUrl: string): Promise<TestDatabase> {
  const database = await emptyDatabase(serverUrl);
  await migrateUp({ logger: silentLogger }, { databaseUrl: database.url, schema: SCHEMA });
  return database;
}

interface Reconnecting {
  query<Row extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>;
  end(): Promise<void>;
}

/** A connection that is opened anew at its next use after its server was away (a test may take it). */
function reconnecting(url: string): Reconnecting {
  let open: Promise<pg.Client> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    const forget = () => {
      open = null;
    };
    client.on('error', forget).on('end', forget);
    await client.connect().catch((error: unknown) => {
      forget();
      throw error;
    });
    return client;
  };
  return {
    query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
      // One after another: tests that run side by side share it.
      const turn = last.then(async () => {
        open ??= connect();
        return (await open).query<Row>(text, [...values]);
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    async end() {
      await (await open)?.end();
    },
  };
}
