import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { type NotificationReader, notificationReader } from '../../../src/state/notification-reader.ts';
import type { NotificationStore } from '../../../src/state/store.ts';
import { aFullState, anId, anInsertion, anOutcome } from '../../contract/state/state-builders.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';
import { realStore } from './real-store.ts';

let database: TestDatabase;
let store: NotificationStore;
let reader: NotificationReader;
beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
});
beforeEach(() => {
  store = realStore(database);
  reader = notificationReader(
    { logger: silentLogger },
    { databaseUrl: database.url, schema: database.schema, applicationName: 'reader' },
  );
});
afterEach(async () => {
  await reader.close();
  await store.close();
  await database.clear();
});
afterAll(() => database.drop());

const insert = async (...parts: Parameters<typeof anInsertion>) => {
  const insertion = anInsertion(...parts);
  expect((await store.insert(insertion)).kind).toBe('written');
  return insertion.change.next.id;
};
const lastError = { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: null } as const;

test('one notification is found by its id, whole', async () => {
  const id = await insert(aFullState());
  expect(await reader.findById(id)).toEqual((await store.load([id])).found.get(id));
  expect(await reader.findById(anId())).toBeNull();
});

describe('a list', () => {
  test('keeps to each condition of its filter, newest event first', async () => {
    const failing = await insert({ status: 'Failed', lastError, attempts: 1 });
    const dead = await insert({
      status: 'Failed',
      final: 'exhausted',
      lastError,
      outcome: anOutcome({ status: 'Failed', reason: 'exhausted' }),
      outcomeSeq: 1,
    });
    const held = await insert({ channel: 'sms', hold: 'channel-disabled' });
    const ids = async (filter: Omit<Parameters<NotificationReader['list']>[0], 'limit'>) =>
      (await reader.list({ ...filter, limit: 10 })).map(({ id }) => id);
    expect(new Set(await ids({}))).toEqual(new Set([failing, dead, held]));
    expect(new Set(await ids({ status: 'Failed' }))).toEqual(new Set([failing, dead]));
    expect(await ids({ status: 'Failed', final: 'none' })).toEqual([failing]);
    expect(await ids({ final: 'any' })).toEqual([dead]);
    expect(await ids({ final: 'exhausted', errorCode: 'NTF_PROVIDER_TRANSIENT', sinceMs: 1 })).toEqual([
      dead,
    ]);
    expect(await ids({ channel: 'sms' })).toEqual([held]);
    expect(await ids({ hold: 'channel-disabled' })).toEqual([held]);
    expect(await ids({ errorCode: 'NTF_EXPIRED' })).toEqual([]);
    expect(await ids({ sinceMs: Date.now() + 3_600_000 })).toEqual([]);
    await database.query(
      `update pin.notifications set created_at = created_at - interval '3 hours', outcome_at = outcome_at - interval '3 hours'
       where id = $1`,
      [dead],
    );
    expect(await ids({ status: 'Failed', sinceMs: Date.now() - 7_200_000 })).toEqual([failing]);
  });

  test('never gives more than asked for', async () => {
    for (let n = 0; n < 4; n += 1) await insert();
    expect(await reader.list({ limit: 3 })).toHaveLength(3);
  });
});

test('counts tell what is held, failing, overdue and unpublished', async () => {
  await insert({ channel: 'sms', hold: 'channel-disabled' }, { wake: { kind: 'none' } });
  await insert({ status: 'Failed', lastError });
  await insert({}, { wake: { kind: 'at', atMs: 1e12, inLog: true } });
  const owing = await insert({ status: 'Sent', final: 'accepted', outcome: anOutcome(), outcomeSeq: 1 });
  await database.query(
    `update pin.notifications set outcome_at = outcome_at - interval '5 minutes' where id = $1`,
    [owing],
  );
  expect(await reader.counts()).toMatchObject({
    held: [{ channel: 'sms', hold: 'channel-disabled', count: 1 }],
    failedBacklog: [{ channel: 'email', count: 1 }],
    overdue: 1,
    unpublished: 1,
  });
  expect((await reader.counts()).unpublishedOldestSeconds).toBeGreaterThanOrEqual(299);
  store.mark(owing, 1);
  await store.drainMarks();
  expect(await reader.counts()).toMatchObject({ unpublished: 0, unpublishedOldestSeconds: 0 });
});

test('the quarantine is listed, newest first', async () => {
  const refused = anInsertion({}, { wake: { kind: 'none' } });
  await store.insert(refused);
  const value = Buffer.from('bytes');
  await store.quarantine({
    reason: 'undecodable',
    detail: 'd',
    topic: 't',
    partition: 1,
    offset: '7',
    key: null,
    value,
  });
  expect(await reader.quarantined(10)).toMatchObject([
    { reason: 'undecodable', topic: 't', partition: 1, offset: '7', valueBytes: 5, notificationId: null },
    {
      reason: 'row-refused',
      notificationId: refused.change.next.id,
      detail: '23514 notifications_obligations',
    },
  ]);
});

test('a database that is away is a retriable fault', async () => {
  const nowhere = notificationReader(
    { logger: silentLogger },
    { databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing', schema: 'pin', applicationName: 'reader' },
  );
  await expect(nowhere.counts()).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE', retriable: true });
  await nowhere.close();
});
