// deploy/sql/roles.sql on a real database: the processor's role serves every tenant, everybody else sees their own.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anInsertion } from '../../contract/state/state-builders.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';
import { realStore } from './real-store.ts';

const ROLES = fileURLToPath(new URL('../../../deploy/sql/roles.sql', import.meta.url));
const TENANTS = ['tenant-1', 'tenant-2', null] as const;

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
  client = new pg.Client({ connectionString: database.url, options: '-c search_path=pin' });
  await client.connect();
  // Twice: it may be run again.
  for (let times = 0; times < 2; times += 1) await client.query(readFileSync(ROLES, 'utf8'));
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The tenants of the rows that `role` sees after it said `settings`. */
async function seenBy(role: string, settings: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await client.query('begin');
  try {
    await client.query(`set local role ${role}`);
    for (const [name, value] of Object.entries(settings))
      await client.query('select set_config($1, $2, true)', [name, value]);
    const { rows } = await client.query<{ tenant: string; user: string | null }>(
      `select coalesce(n.tenant_id, 'platform') as tenant, n.in_app_user as user
from notifications as n join notification_contents as c on c.id = n.id order by 1, 2`,
    );
    return rows.map(({ tenant, user }) => (user === null ? tenant : `${tenant}/${user}`));
  } finally {
    await client.query('rollback');
  }
}

test('the processor’s role does everything for two tenants and the platform, in one sweep', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c role=pin_system');
  const store = realStore({ ...database, url: url.href });
  const due = { wake: { kind: 'after', waitMs: 0, inLog: true } } as const;
  for (const tenantId of TENANTS) {
    await store.insert(anInsertion({ tenantId }, due));
    for (const inAppUserId of ['ada', 'bob'])
      await store.insert(anInsertion({ tenantId, inAppUserId, inAppStatus: 'arrived' }, due));
    await store.insert(anInsertion({ tenantId, inAppUserId: 'ada', inAppStatus: 'waiting' }, due));
  }
  const page = await store.underLock('a sweep', () => store.overdue({ after: null, limit: 500, aheadMs: 0 }));
  expect(page?.rows).toHaveLength(12);
  expect((await store.load(page?.rows.map(({ id }) => id) ?? [])).found.size).toBe(12);
  await store.registerPushToken({ tenantId: null, userId: 'ada', providerKey: 'p', token: 't' });
  await store.quarantine({
    reason: 'r',
    detail: '',
    topic: 't',
    partition: 0,
    offset: '1',
    key: null,
    value: null,
  });
  expect(await store.purgeFinal({ after: null, limit: 500, keepMs: -1, keepUnreadMs: -1 })).toMatchObject({
    purged: 0,
  });
  expect(await store.expire('quarantine', -60_000, 500)).toBe(1);
  await store.close();
});

test('a reader sees its own tenant’s, and the platform’s only when it says so', async () => {
  const own = ['tenant-1/ada', 'tenant-1/ada', 'tenant-1/bob', 'tenant-1'];
  expect(await seenBy('pin_reader', { 'pin.scope': 'tenant:tenant-1' })).toEqual(own);
  const platform = await seenBy('pin_reader', { 'pin.scope': 'platform' });
  expect(platform).toEqual(own.map((one) => one.replace('tenant-1', 'platform')));
  for (const scope of ['', 'tenant:', 'tenant-1'])
    expect(await seenBy('pin_reader', { 'pin.scope': scope })).toEqual([]);
  expect(await seenBy('pin_reader', {})).toEqual([]);
});

test('a recipient sees what is in its own inbox', async () => {
  const ada = { 'pin.user': 'ada', 'pin.scope': 'tenant:tenant-1' };
  expect(await seenBy('pin_recipient', ada)).toEqual(['tenant-1/ada']);
  expect(await seenBy('pin_recipient', { ...ada, 'pin.scope': 'platform' })).toEqual(['platform/ada']);
  expect(await seenBy('pin_recipient', { 'pin.user': 'ada' })).toEqual([]);
  expect(await seenBy('pin_recipient', { 'pin.scope': 'tenant:tenant-1' })).toEqual([]);
});

test('an operator reads all of it and writes none, nor learns where people are reached', async () => {
  expect(await seenBy('pin_operator', {})).toHaveLength(12);
  for (const forbidden of ['delete from notifications', 'select from push_tokens']) {
    await client.query('begin; set local role pin_operator');
    await expect(client.query(forbidden)).rejects.toMatchObject({ code: '42501' });
    await client.query('rollback');
  }
});
