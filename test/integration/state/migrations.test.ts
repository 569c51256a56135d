import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { migrateUp, migrationStatus } from '../../../src/state/migrate.ts';
import { emptyDatabase, type TestDatabase } from '../../support/database.ts';
import { describeSchema } from '../../support/describe-schema.ts';
import { stackAddresses } from '../../support/stack-servers.ts';

const deps = { logger: silentLogger };
let database: TestDatabase;
beforeEach(async () => {
  database = await emptyDatabase(stackAddresses().databaseUrl);
});
afterEach(() => database.drop());

const target = (schema = 'pin') => ({ databaseUrl: database.url, schema });

test('migrating twice does the work once, and status tells before and after', async () => {
  const before = await migrationStatus(target());
  expect(before.applied).toEqual([]);
  expect(before.pending[0]).toBe('0001_notifications');
  expect(await migrateUp(deps, target())).toEqual(before.pending);
  expect(await migrateUp(deps, target())).toEqual([]);
  expect(await migrationStatus(target())).toEqual({ applied: before.pending, pending: [], unknown: [] });
});

test('starters that migrate at the same time all succeed, and one of them did it', async () => {
  const done = await Promise.all(Array.from({ length: 5 }, () => migrateUp(deps, target())));
  expect(done.filter((names) => names.length > 0)).toHaveLength(1);
});

test('a schema of another name is created beside the first', async () => {
  await migrateUp(deps, target());
  await migrateUp(deps, target('Other-schema'));
  const tables = await database.query(`select from pg_tables where tablename = 'notifications'`);
  expect(tables).toHaveLength(2);
});

test('a schema name that would need escaping is refused', async () => {
  await expect(migrateUp(deps, target('a"; b'))).rejects.toMatchObject({ code: 'STATE_SCHEMA_NAME' });
});

test('a migration of a newer release is told, not touched', async () => {
  await migrateUp(deps, target());
  await database.query(`insert into pin.migrations (name, run_on) values ('9999_from_the_future', now())`);
  expect((await migrationStatus(target())).unknown).toEqual(['9999_from_the_future']);
});

test('a database that is away is a retriable fault', async () => {
  const nowhere = { databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing', schema: 'pin' };
  await expect(migrateUp(deps, nowhere)).rejects.toMatchObject({
    code: 'STATE_UNAVAILABLE',
    retriable: true,
  });
  await expect(migrationStatus(nowhere)).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
});

test('the schema is the one that was reviewed (migrations/schema.txt; `vitest -u` writes it anew)', async () => {
  await migrateUp(deps, target());
  await expect(await describeSchema(database)).toMatchFileSnapshot('../../../migrations/schema.txt');
});
