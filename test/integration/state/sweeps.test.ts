// What only a real database shows of sweeping: rows locked by others, and a backlog too large to sort for each page.
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import type { NotificationStore, OverdueRow } from '../../../src/state/store.ts';
import { anInsertion, someIds } from '../../contract/state/state-builders.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';
import { realStore } from './real-store.ts';

let database: TestDatabase;
let store: NotificationStore;
beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
});
beforeEach(() => {
  store = realStore(database);
});
afterEach(async () => {
  await store.close();
  await database.clear();
});
afterAll(() => database.drop());

const overdueNow = { wake: { kind: 'at', atMs: 1e12, inLog: true } } as const;

test('a wake-up is rounded up: a whole wait ends later than the stamp of its start', async () => {
  let exact = 0;
  for (let n = 0; n < 40; n += 1) {
    const answer = await store.insert(
      anInsertion({}, { wake: { kind: 'after', waitMs: 1_000, inLog: true } }),
    );
    const waited = answer.kind === 'written' ? (answer.row.wakeAtMs ?? 0) - answer.row.createdAtMs : 0;
    expect([1_000, 1_001]).toContain(waited);
    if (waited === 1_000) exact += 1;
  }
  // Stamps are cut and wake-ups rounded up, so both are whole only when the clock shows no microseconds.
  expect(exact).toBeLessThan(10);
});

test('a page skips a row that somebody is writing, and the next pass finds it', async () => {
  const ids = someIds(5);
  await Promise.all(ids.map((id) => store.insert(anInsertion({ id }, overdueNow))));
  const writer = new pg.Client({ connectionString: database.url });
  await writer.connect();
  await writer.query('begin');
  await writer.query('select from pin.notifications where id = $1 for update', [ids[1]]);
  const page = { after: null, limit: 4, aheadMs: 0 };
  const during = await store.overdue(page);
  await writer.query('rollback');
  await writer.end();
  expect(during.rows.map(({ id }) => id)).toEqual([ids[0], ids[2], ids[3], ids[4]]);
  expect((await store.overdue(page)).rows.map(({ id }) => id)).toEqual(ids.slice(0, 4));
});

test('a backlog of tens of thousands is paged through once, each row once', async () => {
  const insertion = anInsertion({}, overdueNow);
  await store.insert(insertion);
  await database.query(`create temp table grown as select one.* from pin.notifications one, generate_series(1, 24999);
    update grown set id = gen_random_uuid(); insert into pin.notifications select * from grown; drop table grown`);
  const seen = new Set<string>();
  let rows: readonly OverdueRow[] = [];
  let pages = 0;
  do {
    const after: NotificationId | null = rows.at(-1)?.id ?? null;
    rows = (await store.overdue({ after, limit: 500, aheadMs: 0 })).rows;
    for (const { id } of rows) seen.add(id);
    pages += 1;
  } while (rows.length > 0);
  expect(seen.size).toBe(25_000);
  expect(pages).toBe(51);
});
