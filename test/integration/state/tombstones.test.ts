import { afterAll, beforeAll, expect, test } from 'vitest';
import { anInsertion, anOutcome } from '../../contract/state/state-builders.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';
import { realStore } from './real-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
});
afterAll(() => database.drop());

test('a row is as old as the last thing that happened to it', async () => {
  const store = realStore(database);
  const DAY_MS = 86_400_000;
  const over = anInsertion(
    { ...{ status: 'Sent', final: 'accepted', outcome: anOutcome(), outcomeSeq: 1, publishedSeq: 1 } },
    { wake: { kind: 'none' } },
  );
  await store.insert(over);
  const { id } = over.change.next;
  const purge = () =>
    store.purgeFinal({ after: null, limit: 10, keepMs: 7 * DAY_MS, keepUnreadMs: 7 * DAY_MS });
  const old = (what: string) =>
    database.query(`update pin.${what} = now() - interval '30 days' where id = $1`, [id]);
  await old('notification_contents set stored_at');
  await old('notifications set created_at');
  expect(await purge()).toEqual({ purged: 0, next: null });
  await old('notifications set outcome_at');
  expect(await purge()).toEqual({ purged: 1, next: null });
  await store.close();
});

test('a live row whose content somebody deleted is never forgotten as a tombstone', async () => {
  const store = realStore(database);
  const live = anInsertion();
  await store.insert(live);
  const { id } = live.change.next;
  const gone = `request = null, stored_at = now() - interval '1 year', purged_at = now() - interval '1 year'`;
  await database.query(`update pin.notification_contents set ${gone} where id = $1`, [id]);
  expect(await store.expire('tombstones', 1_000, 10)).toBe(0);
  expect((await store.load([id])).found.get(id)).toMatchObject({ row: { id, status: 'Pending' } });
  await store.close();
});

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
