import { afterAll, beforeAll, expect, test } from 'vitest';
import { anInsertion } from '../../contract/state/state-builders.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';
import { realStore } from './real-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
});
afterAll(() => database.drop());

test('a tombstone keeps row and hash, and its id cannot be inserted again', async () => {
  const store = realStore(database);
  const insertion = anInsertion();
  const { id } = insertion.change.next;
  await store.insert(insertion);
  await database.query('update pin.notification_contents set request = null where id = $1', [id]);
  const shrunk = { content: null, payloadHash: insertion.content.payloadHash };
  expect((await store.load([id])).found.get(id)).toMatchObject({ ...shrunk, row: { id, version: 1 } });
  expect(await store.insert(anInsertion({ id }))).toEqual({ kind: 'exists' });
  expect((await store.load([id])).found.get(id)).toMatchObject(shrunk);
  await database.query('delete from pin.notification_contents where id = $1', [id]);
  expect((await store.load([id])).found.get(id)).toMatchObject({
    content: null,
    payloadHash: '',
    row: { id },
  });
  await store.close();
});
