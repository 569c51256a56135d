// The relay's own bookkeeping on real Postgres.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import { relayProgress } from '../../../src/relay/postgres-progress.ts';
import type { Outcome, RelayProgress } from '../../../src/relay/progress.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';

const SOURCE = 'shop.outbox_events';
const LEASE_MS = 60_000;
const CHECK_AFTER_MS = 600_000;
let database: TestDatabase;
let progress: RelayProgress;

beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
  const settings = { databaseUrl: database.url, schema: database.schema, applicationName: 'test' };
  progress = relayProgress({ logger: silentLogger }, settings);
});
beforeEach(async () => {
  await database.query('delete from pin.relay_rows');
});
afterAll(async () => {
  await progress.close();
  await database.drop();
});

const newIds = (count: number) =>
  Array.from({ length: count }, () => randomUUID() as string as NotificationId);
const rowOf = async (id: string) =>
  (await database.query('select * from pin.relay_rows where id = $1', [id]))[0];
const outcome = (id: NotificationId, over: Partial<Outcome> = {}): Outcome => ({
  ...{ id, seq: 1, status: 'Sent', reason: null, atMs: 1_764_000_000_000 },
  ...over,
});

async function relayed(count: number): Promise<readonly NotificationId[]> {
  const ids = newIds(count);
  await progress.claim(SOURCE, ids, LEASE_MS);
  await progress.relayed(SOURCE, ids, CHECK_AFTER_MS);
  return ids;
}

test('of relays that claim the same rows at the same time each row falls to one', async () => {
  const ids = newIds(400);
  const claims = await Promise.all([1, 2, 3, 4].map(() => progress.claim(SOURCE, ids, LEASE_MS)));
  expect(
    claims
      .flat()
      .map(({ id }) => id)
      .sort(),
  ).toEqual([...ids].sort());
});

test('a claim is left alone until its time is over, and then taken over by one', async () => {
  const ids = newIds(100);
  await progress.claim(SOURCE, ids, LEASE_MS);
  expect(await progress.takeOver(SOURCE, 100, LEASE_MS)).toEqual([]);
  await progress.release(SOURCE, ids, 0);
  const taken = await Promise.all([1, 2, 3].map(() => progress.takeOver(SOURCE, 100, LEASE_MS)));
  expect(
    taken
      .flat()
      .map(({ id }) => id)
      .sort(),
  ).toEqual([...ids].sort());
  await progress.relayed(SOURCE, ids, CHECK_AFTER_MS);
  await progress.release(SOURCE, ids, 0);
  expect(await progress.takeOver(SOURCE, 100, LEASE_MS)).toEqual([]);
  expect(await progress.check(SOURCE, 100)).toMatchObject({ looked: 0 });
});

test('the higher outcome wins in any order, and what a source was told is owed once for each', async () => {
  const [id = expect.fail()] = await relayed(1);
  expect(
    await progress.settle([outcome(id, { seq: 2 }), outcome(id, { status: 'Failed', reason: 'x' })]),
  ).toEqual([SOURCE]);
  expect(await progress.settle([outcome(id, { status: 'Failed' })])).toEqual([]);
  const owed = await progress.owedStamps(SOURCE, 10);
  expect(owed).toEqual([{ id, seq: 2, status: 'Sent', reason: null, atMs: 1_764_000_000_000 }]);
  await progress.settle([outcome(id, { seq: 3, status: 'Failed', reason: 'later' })]);
  await progress.stamped(SOURCE, owed);
  expect(await progress.owedStamps(SOURCE, 10)).toMatchObject([{ id, seq: 3, reason: 'later' }]);
});

test('an outcome that is faster than the acknowledgement proves that the row was relayed', async () => {
  const [id = expect.fail()] = newIds(1);
  await progress.claim(SOURCE, [id], 0);
  await progress.settle([outcome(id)]);
  expect(await progress.takeOver(SOURCE, 10, LEASE_MS)).toEqual([]);
  await progress.relayed(SOURCE, [id], CHECK_AFTER_MS);
  expect(await rowOf(id)).toMatchObject({ outcome_seq: 1, due_at: null });
});

test('outcomes of notifications that came another way are nobody’s', async () => {
  expect(await progress.settle(newIds(3).map((id) => outcome(id)))).toEqual([]);
});

test('a row with several recipients is final when all are, failed when one is, and told again when that changes', async () => {
  const [row = expect.fail()] = newIds(1);
  const [ada = expect.fail(), bob = expect.fail()] = newIds(2);
  await progress.claim(SOURCE, [row], LEASE_MS);
  await progress.split(
    SOURCE,
    [ada, bob].map((id) => ({ id, rowId: row })),
  );
  await progress.relayed(SOURCE, [row], CHECK_AFTER_MS);
  expect(await progress.settle([outcome(ada)])).toEqual([]);
  expect(
    await progress.settle([outcome(bob, { status: 'Failed', reason: 'NTF_PROVIDER_BLOCKED (refused)' })]),
  ).toEqual([SOURCE]);
  expect(await progress.owedStamps(SOURCE, 10)).toMatchObject([
    { id: row, status: 'Failed', reason: '1 of 2 recipients failed: NTF_PROVIDER_BLOCKED (refused)' },
  ]);
  await progress.settle([outcome(bob, { seq: 2, atMs: 1_764_000_001_000 })]);
  expect(await progress.owedStamps(SOURCE, 10)).toMatchObject([
    { id: row, seq: 3, status: 'Sent', atMs: 1_764_000_001_000 },
  ]);
});

test('a family whose last outcome was written by one who died at once is settled by the repeat', async () => {
  const [row = expect.fail()] = newIds(1);
  const [ada = expect.fail(), bob = expect.fail()] = newIds(2);
  await progress.claim(SOURCE, [row], LEASE_MS);
  await progress.split(
    SOURCE,
    [ada, bob].map((id) => ({ id, rowId: row })),
  );
  const set = `outcome_seq = 1, outcome_status = 'Sent', outcome_at = now()`;
  await database.query(`update pin.relay_children set ${set} where id = any($1)`, [[ada, bob]]);
  expect(await progress.settle([outcome(bob)])).toEqual([SOURCE]);
});

test('a record without a notification after its time is free to be relayed again, later each time', async () => {
  const [id = expect.fail()] = newIds(1);
  await progress.claim(SOURCE, [id], LEASE_MS);
  await progress.relayed(SOURCE, [id], 0);
  expect(await progress.check(SOURCE, 10)).toEqual({ looked: 1, missing: 1, outcomes: [] });
  expect(await progress.takeOver(SOURCE, 10, LEASE_MS)).toMatchObject([{ id }]);
  await progress.relayed(SOURCE, [id], 60_000);
  const [waits] = await database.query<{ ms: number }>(
    'select round(extract(epoch from due_at - relayed_at) * 1000)::int as ms from pin.relay_rows',
  );
  expect(waits).toEqual({ ms: 120_000 });
});

test('counts tell what is claimed, what waits, and what is to be told', async () => {
  const [id = expect.fail()] = await relayed(3);
  await progress.claim(SOURCE, newIds(2), LEASE_MS);
  await progress.settle([outcome(id)]);
  expect(await progress.counts(SOURCE)).toEqual({ claimed: 2, waiting: 2, unstamped: 1 });
});

test('what ended long ago and was told is forgotten, and nothing else', async () => {
  const [old = expect.fail(), fresh = expect.fail(), untold = expect.fail()] = await relayed(3);
  await progress.settle([outcome(old), outcome(untold), outcome(fresh, { atMs: 4_000_000_000_000 })]);
  const owed = await progress.owedStamps(SOURCE, 10);
  await progress.stamped(
    SOURCE,
    owed.filter(({ id }) => id !== untold),
  );
  expect(await progress.purge(['another'], 1, 100)).toBe(0);
  expect(await progress.purge([SOURCE], 1, 100)).toBe(1);
  expect(await rowOf(old)).toBeUndefined();
});
