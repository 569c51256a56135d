// Brings the schema to this release's shape, and says how far it is. Migrations are the numbered files of `migrations/` at the root of
// the package: found from `src/state` and from `dist/state` alike, both two folders below it.
// It promises: starters that run at the same time wait for each other (an advisory lock), and all pending files commit together or
// none does. It never goes back down.
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { Fault, messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { quotedName } from './postgres-settings.ts';

export interface MigrationTarget {
  readonly databaseUrl: string;
  /** Created when it is not there. */
  readonly schema: string;
}

export interface MigrationStatus {
  /** Names without `.sql`, in order. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Applied here, unknown to this release: a newer release was at work. */
  readonly unknown: readonly string[];
}

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));
const TABLE = 'migrations';
/** Hidden files, and the picture of the schema that lies beside the migrations. */
const NO_MIGRATION = '(\\..*|schema\\.txt)';
/** The migration runner does not escape names. */
const SCHEMA_NAME = /^[A-Za-z0-9_-]{1,63}$/;
const CONNECT_LIMIT_MS = 5_000;
/** How long a starter waits for another one's migrations. */
const LOCK_LIMIT_MS = 120_000;

/** Applies what is pending and returns its names. @throws Fault STATE_MIGRATION_FAILED, STATE_SCHEMA_NAME, STATE_UNAVAILABLE (retriable) */
export async function migrateUp(
  deps: { readonly logger: Logger },
  target: MigrationTarget,
): Promise<readonly string[]> {
  if (!SCHEMA_NAME.test(target.schema)) {
    throw new Fault('STATE_SCHEMA_NAME', `schema ${JSON.stringify(target.schema)}`, { retriable: false });
  }
  const log = (message: string) => deps.logger.debug('state.migration', { detail: message });
  return connected(target, LOCK_LIMIT_MS, async (dbClient) => {
    const done = await runner({
      dbClient,
      dir: FOLDER,
      ignorePattern: NO_MIGRATION,
      direction: 'up',
      migrationsTable: TABLE,
      schema: target.schema,
      createSchema: true,
      advisoryLockMode: 'wait',
      log,
    });
    return done.map(({ name }) => name);
  });
}

/** @throws Fault STATE_MIGRATION_FAILED, STATE_UNAVAILABLE (retriable) */
export async function migrationStatus(target: MigrationTarget): Promise<MigrationStatus> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
  const known = files.map((name) => name.slice(0, -'.sql'.length));
  return connected(target, CONNECT_LIMIT_MS, async (client) => {
    const applied = await appliedMigrations(client, target.schema);
    return {
      applied: applied.filter((name) => known.includes(name)),
      pending: known.filter((name) => !applied.includes(name)),
      unknown: applied.filter((name) => !known.includes(name)),
    };
  });
}

async function appliedMigrations(client: pg.Client, schema: string): Promise<readonly string[]> {
  const table = `${quotedName(schema)}.${TABLE}`;
  const there = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    table,
  ]);
  if (there.rows[0]?.there !== true) return [];
  const applied = await client.query<{ name: string }>(`select name from ${table} order by id`);
  return applied.rows.map(({ name }) => name);
}

async function connected<T>(
  target: MigrationTarget,
  lockLimitMs: number,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: target.databaseUrl,
    application_name: 'pin-migrate',
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    lock_timeout: lockLimitMs,
  });
  let lost: unknown = null;
  client.on('error', (error) => {
    lost = error;
  });
  try {
    await client.connect();
  } catch (error) {
    throw new Fault('STATE_UNAVAILABLE', `connect: ${messageOf(error)}`, { retriable: true, cause: error });
  }
  try {
    return await work(client);
  } catch (error) {
    if (lost !== null)
      throw new Fault('STATE_UNAVAILABLE', messageOf(lost), { retriable: true, cause: error });
    throw new Fault('STATE_MIGRATION_FAILED', messageOf(error), { retriable: false, cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}
