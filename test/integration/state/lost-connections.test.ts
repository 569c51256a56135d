// Administrators, restarts and deadlocks take connections away; nobody's write is lost or doubled, and the process lives.
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { invariant } from '../../../src/runtime/fault.ts';
import type { NotificationStore } from '../../../src/state/store.ts';
import { aChange, anInsertion, aWrite, someIds } from '../../contract/state/state-builders.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';
import { untilBlocked } from './blocked-backends.ts';
import { realStore } from './real-store.ts';

let database: TestDatabase;
let store: NotificationStore;
const outages: (number | null)[] = [];

beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
});
beforeEach(() => {
  outages.length = 0;
  store = realStore(
    database,
    { applicationName: 'victim' },
    { onOutage: (sinceMs) => outages.push(sinceMs) },
  );
});
afterEach(async () => {
  await store.close();
  await database.clear();
});
afterAll(() => database.drop());

const terminate = () =>
  database.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'victim' and datname = current_database()`);

/** A connection that holds locks against the store. */
async function rival(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin');
  return client;
}

describe('connections that an administrator ends', () => {
  test('in the middle of flushes cost nobody a write', async () => {
    const ids = someIds(400);
    await Promise.all(ids.map((id) => store.insert(anInsertion({ id }))));
    const lives = ids.map(async (id) => {
      for (let version = 1; version <= 5; version += 1) {
        const answer = await store.write(aWrite(version, aChange({ id, attempts: version })));
        expect(answer).toMatchObject({ kind: 'written', row: { version: version + 1, attempts: version } });
      }
    });
    for (let kill = 0; kill < 5; kill += 1) await terminate();
    await Promise.all(lives);
    const rows = await database.query<{ version: number }>('select distinct version from pin.notifications');
    expect(rows).toEqual([{ version: 6 }]);
  });

  test('are told as an outage that began and ended', async () => {
    await store.insert(anInsertion());
    const holder = await rival();
    await holder.query('lock table pin.notifications in access exclusive mode');
    const waiting = store.insert(anInsertion());
    await untilBlocked(database);
    await terminate();
    await holder.query('commit');
    await holder.end();
    expect((await waiting).kind).toBe('written');
    expect(outages).toEqual([expect.any(Number), null]);
    expect(store.unavailableSinceMs()).toBeNull();
  });

  test('while idle are replaced at the next use', async () => {
    await store.insert(anInsertion());
    await store.load(someIds(1));
    await terminate();
    expect((await store.insert(anInsertion())).kind).toBe('written');
    const loaded = await store.load(someIds(1)).catch(() => store.load(someIds(1)));
    expect(loaded.found.size).toBe(0);
  });
});

test('a deadlock with another process is tried again until it passes', async () => {
  const one = realStore(database, { writerLanes: 1 });
  const [first, second] = someIds(2);
  invariant(first !== undefined && second !== undefined, 'two ids');
  await Promise.all([first, second].map((id) => one.insert(anInsertion({ id }))));
  const holder = await rival();
  const lock = (id: string) => holder.query('select from pin.notifications where id = $1 for update', [id]);
  // The rival must not be the one that notices.
  await holder.query(`set deadlock_timeout = '60s'`);
  await lock(second);
  const writes = Promise.all([first, second].map((id) => one.write(aWrite(1, aChange({ id, attempts: 1 })))));
  await untilBlocked(database);
  await lock(first);
  await holder.query('commit');
  await holder.end();
  expect((await writes).map(({ kind }) => kind)).toEqual(['written', 'written']);
  await one.close();
});

test('a deadlock over a single row, which no splitting could end, is tried again until it passes', async () => {
  const [present, wanted] = [anInsertion(), anInsertion()];
  await store.insert(present);
  const id = wanted.change.next.id;
  const holder = await rival();
  await holder.query(`set deadlock_timeout = '60s'`);
  await holder.query(
    `insert into pin.notification_contents (id, payload_hash, recipient_hash) values ($1, 'theirs', '')`,
    [id],
  );
  const inserting = store.insert(wanted);
  await untilBlocked(database);
  await holder.query(
    `insert into pin.notifications select (jsonb_populate_record(n, jsonb_build_object('id', $1::uuid))).*
     from pin.notifications n where id = $2 on conflict do nothing`,
    [id, present.change.next.id],
  );
  await holder.query('rollback');
  await holder.end();
  expect(await inserting).toMatchObject({ kind: 'written', row: { id, version: 1 } });
  expect(outages).toEqual([expect.any(Number), null]);
});

describe('a lock', () => {
  test('that dies with its connection tells its holder, and is free for another', async () => {
    const aborted = store.underLock('sweep', async (signal) => {
      const heard = new Promise<string>((resolve) =>
        signal.addEventListener('abort', () => resolve('aborted')),
      );
      await terminate();
      return heard;
    });
    expect(await aborted).toBe('aborted');
    expect(await store.underLock('sweep', () => Promise.resolve('free'))).toBe('free');
  });

  test('of another schema of the same database is another lock', async () => {
    const elsewhere = realStore(database, { schema: 'elsewhere' });
    const both = store.underLock('sweep', () => elsewhere.underLock('sweep', () => Promise.resolve('both')));
    expect(await both).toBe('both');
    await elsewhere.close();
  });
});
