// Plans must not change when tables grow: every statement of the hot path goes by an index, also right after a load of new rows that
// ANALYZE has not seen.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireStatements } from '../../../src/state/expire-old.ts';
import { inboxPageStatement, unreadStatement } from '../../../src/state/inbox-table.ts';
import { insertStatement } from '../../../src/state/insert-rows.ts';
import { loadStatement, tokenStatement } from '../../../src/state/load-rows.ts';
import { markStatement } from '../../../src/state/mark-rows.ts';
import { refStatement } from '../../../src/state/message-refs.ts';
import { heldCountStatement } from '../../../src/state/notification-counts.ts';
import { SESSION_SETTINGS } from '../../../src/state/postgres-settings.ts';
import { purgeFinalStatement } from '../../../src/state/purge-final.ts';
import type { Statement } from '../../../src/state/statement.ts';
import { sweepStatements } from '../../../src/state/sweep-queries.ts';
import { replaceStatement, updateStatement } from '../../../src/state/update-rows.ts';
import { aChange, anInsertion, aWrite } from '../../contract/state/state-builders.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';
import { realStore } from './real-store.ts';

const GROWN_ROWS = 30_000;
const sweeps = sweepStatements('pin');

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
  await database.query('alter table pin.notifications set (autovacuum_enabled = false)');
  const store = realStore(database);
  const insertion = anInsertion();
  await store.insert(insertion);
  await store.write(aWrite(1, aChange({ id: insertion.change.next.id })));
  await store.close();
  await database.query('analyze pin.notifications, pin.notification_contents');
  await grow();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(SESSION_SETTINGS);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Copies the one row there is, under new ids. */
async function grow(): Promise<void> {
  for (const table of ['notifications', 'notification_contents']) {
    await database.query(`create temp table grown as select one.* from pin.${table} one, generate_series(1, ${GROWN_ROWS});
      update grown set id = gen_random_uuid(); insert into pin.${table} select * from grown; drop table grown`);
  }
}

async function planOf({ name, text }: Statement): Promise<string> {
  await client.query(`prepare ${name} as ${text}`);
  const parameters = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)), 0);
  const values = Array.from({ length: parameters }, () => 'null').join(', ');
  const plan = await client.query<{ 'QUERY PLAN': string }>(
    `explain execute ${name}${parameters === 0 ? '' : `(${values})`}`,
  );
  return plan.rows.map((row) => row['QUERY PLAN']).join('\n');
}

const expiring = expireStatements('pin');
const TENANT = { tenantId: 'tenant-1', userId: 'ada' };
const PLATFORM = { tenantId: null, userId: 'ada' };
const byPrimaryKey = 'using notifications_pkey';
test.each([
  ['an insert', insertStatement('pin'), null],
  ['an update', updateStatement('pin'), byPrimaryKey],
  ['a replacement', replaceStatement('pin'), byPrimaryKey],
  ['names of messages', refStatement('pin'), byPrimaryKey],
  ['marks', markStatement('pin'), byPrimaryKey],
  ['a load', loadStatement('pin'), byPrimaryKey],
  ['a look at tokens', tokenStatement('pin'), byPrimaryKey],
  ['a count of overdue rows', sweeps.overdueCount, 'notifications_wake_at'],
  ['a page of few overdue rows', sweeps.overdueFew, 'notifications_wake_at'],
  ['a page of many overdue rows', sweeps.overdueMany, byPrimaryKey],
  ['a page of held rows', sweeps.held, 'notifications_held'],
  ['a page of paused rows', sweeps.paused, 'notifications_held'],
  ['a count of held rows', heldCountStatement('pin'), 'notifications_held'],
  ['a page of an inbox', inboxPageStatement('pin', TENANT, false), 'notifications_inbox'],
  ['a page of what is unread', inboxPageStatement('pin', PLATFORM, true), 'notifications_unread'],
  ['a count of what is unread', unreadStatement('pin', TENANT), 'notifications_unread'],
  ['a purge', purgeFinalStatement('pin'), 'notification_contents_stored'],
  ['an end of tombstones', expiring.tombstones, 'notification_contents_tombstones'],
  ['an end of refused commands', expiring['refused-commands'], 'refused_commands_refused'],
  ['an end of message names', expiring['message-refs'], 'message_refs_named'],
  ['an end of quarantined inputs', expiring.quarantine, 'quarantine_pkey'],
  ['a wake-up that entered the log', sweeps.wakeEnteredLog, byPrimaryKey],
])('%s goes by an index and never scans the table', async (_name, statement, index) => {
  const plan = await planOf(statement);
  expect(plan).not.toContain('Seq Scan');
  if (index !== null) expect(plan).toContain(index);
});
