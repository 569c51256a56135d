// Another service's table on real Postgres, read and written by a role that has the shipped rights and no more.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { askSources, openOutboxes } from '../../../src/relay/open-sources.ts';
import type { Outbox } from '../../../src/relay/outbox.ts';
import { parseSource, type RelaySource } from '../../../src/relay/source.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { type OutboxTable, outboxTable } from '../../support/outbox-table.ts';
import { stackAddresses } from '../../support/stack-servers.ts';

const deps = { logger: silentLogger };
let table: OutboxTable;
let source: RelaySource;
let outbox: Outbox;

async function ask() {
  const [asked] = await askSources(deps, [{ source, databaseUrl: table.relayUrl }]);
  return asked ?? expect.fail();
}

beforeAll(async () => {
  table = await outboxTable(stackAddresses().databaseUrl);
  source = parseSource(table.schema) ?? expect.fail();
  await table.run('relay-index.sql');
  [outbox = expect.fail()] = openOutboxes(deps, [await ask()]);
});
beforeEach(async () => {
  await table.query('delete from outbox_events');
});
afterAll(async () => {
  await outbox.close();
  await table.drop();
});

const at = (second: number) => `2026-01-01T00:00:0${second}Z`;
const MS = Date.UTC(2026, 5, 1);
const others = () =>
  table.query(
    `select o::text as row, xmin::text from outbox_events o where event_type <> 'NotificationRequested' order by id`,
  );

test('the shipped rights and index leave nothing to be said at the start', async () => {
  expect(await ask()).toMatchObject({ refused: [], warnings: [] });
  expect(outbox).toMatchObject({ isOrdered: true, tellsOutcomes: true, isAnnounced: false });
});

test('pages give open requests in the order of their times, and none of another type', async () => {
  const [late, early] = [await table.add({ occurredAt: at(5) }), await table.add({ occurredAt: at(1) })];
  const middle = await table.add({ occurredAt: at(3) });
  await table.add({ type: 'OrderPlaced', occurredAt: at(2) });
  const first = await outbox.page(null, 2);
  expect(first.rows.map(({ id }) => id)).toEqual([early, middle]);
  expect(first.rows[0]?.atMs).toBe(Date.parse(at(1)));
  const second = await outbox.page(first.last, 2);
  expect(second.rows.map(({ id }) => id)).toEqual([late]);
  expect(await outbox.page(second.last, 2)).toEqual({ rows: [], last: null });
});

test('a look at the newest goes back by its overlap', async () => {
  await table.add({ occurredAt: at(1) });
  const [before, newest] = [await table.add({ occurredAt: at(4) }), await table.add({ occurredAt: at(5) })];
  const { last } = await outbox.page(null, 10);
  const seen = await outbox.newest(last ?? expect.fail(), 2_000, 10);
  expect(seen.rows.map(({ id }) => id)).toEqual([before, newest]);
});

test('a page is read from the index, however many rows are published', async () => {
  await table.query(`insert into outbox_events (id, event_type, payload, published_at)
    select gen_random_uuid(), 'NotificationRequested', '{}', now() from generate_series(1, 20000)`);
  await table.query('analyze outbox_events');
  const plan = await table.query(`explain select id, occurred_at from outbox_events o
    where o.event_type = 'NotificationRequested' and o.published_at is null and o.failed_at is null
      and (o.occurred_at, o.id) > ('-infinity'::timestamptz, '00000000-0000-0000-0000-000000000000'::uuid)
    order by o.occurred_at, o.id limit 500`);
  expect(JSON.stringify(plan)).toContain('pin_relay_open');
});

test('a row is read with everything as text, and only while it is open', async () => {
  const companyId = randomUUID();
  const id = await table.add({ companyId, payload: { channel: 'email', to: ['a', 'b'] }, occurredAt: at(1) });
  const closed = await table.add();
  await table.query('update outbox_events set published_at = now() where id = $1', [closed]);
  const [row, ...more] = await outbox.rows([id, closed]);
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    id,
    tenantId: companyId,
    aggregateType: 'Order',
    aggregateId: '4711',
    orgUnitId: null,
  });
  expect(row?.occurredAtMs).toBe(Date.parse(at(1)));
  expect(JSON.parse(row?.payload ?? '')).toEqual({ channel: 'email', to: ['a', 'b'] });
  expect(await outbox.anyRows([id, closed])).toHaveLength(2);
});

test('a payload that is too long comes as null, not as a megabyte', async () => {
  const id = await table.add({ payload: { text: 'x'.repeat(1_100_000) } });
  expect(await outbox.rows([id])).toMatchObject([{ id, payload: null }]);
});

test('stamps say the truth in three columns; an older one and a repeat change nothing; a newer one wins', async () => {
  const id = await table.add();
  const failed = { id, status: 'Failed', reason: 'NTF_PROVIDER_BLOCKED (refused)', atMs: MS } as const;
  const sent = { id, status: 'Sent', reason: null, atMs: MS + 1_000 } as const;
  await outbox.stamp([failed]);
  expect(await table.row(id)).toMatchObject({
    published_at: null,
    failed_at: new Date(MS),
    failure_reason: failed.reason,
  });
  await outbox.stamp([sent]);
  const told = { published_at: new Date(MS + 1_000), failed_at: null, failure_reason: null };
  expect(await table.row(id)).toMatchObject(told);
  const before = await table.query('select xmin::text from outbox_events where id = $1', [id]);
  await outbox.stamp([failed]);
  await outbox.stamp([sent]);
  expect(await table.row(id)).toMatchObject(told);
  expect(await table.query('select xmin::text from outbox_events where id = $1', [id])).toEqual(before);
});

test('rows of other types are never read, stamped, condemned or opened, also under their ids', async () => {
  const id = await table.add({ type: 'OrderPlaced' });
  await table.query(`update outbox_events set failed_at = now(), failure_reason = 'theirs' where id = $1`, [
    id,
  ]);
  const before = await others();
  await outbox.stamp([{ id, status: 'Sent', reason: null, atMs: MS * 2 }]);
  await outbox.condemn([{ id, reason: 'no' }]);
  const failedAt = String((await table.query('select failed_at::text as at from outbox_events'))[0]?.['at']);
  expect(await outbox.reopen([{ id, reason: '', failedAt }])).toEqual([]);
  expect(await outbox.rows([id])).toEqual([]);
  expect(await outbox.failed({ ids: [id], reason: null, sinceMs: null, limit: 9 })).toEqual([]);
  expect(await outbox.counts()).toEqual({ open: 0, failed: 0 });
  expect(await others()).toEqual(before);
});

test('a condemned row is listed, and opened again only while its failure is still that one', async () => {
  const id = await table.add({ payload: { channel: 'fax' } });
  await outbox.condemn([{ id, reason: 'unknown-channel: channel is not one of ours' }]);
  const listed = await outbox.failed({ ids: [], reason: 'unknown-channel', sinceMs: null, limit: 9 });
  expect(listed).toMatchObject([{ id, reason: 'unknown-channel: channel is not one of ours' }]);
  expect(await outbox.failed({ ids: [], reason: 'other', sinceMs: null, limit: 9 })).toEqual([]);
  expect(await outbox.counts()).toEqual({ open: 0, failed: 1 });
  expect(await outbox.reopen(listed.map((row) => ({ ...row, failedAt: '2026-01-01 00:00:00+00' })))).toEqual(
    [],
  );
  expect(await outbox.reopen(listed)).toEqual([id]);
  expect(await table.row(id)).toMatchObject({ failed_at: null, failure_reason: null });
});

test('a row that was told its outcome meanwhile is not condemned', async () => {
  const id = await table.add();
  await outbox.stamp([{ id, status: 'Sent', reason: null, atMs: MS }]);
  await outbox.condemn([{ id, reason: 'unknown-channel: too late' }]);
  expect(await table.row(id)).toMatchObject({ published_at: new Date(MS), failed_at: null });
});

test('the version is left alone, unless the role was given it: then each stamp raises it', async () => {
  const id = await table.add();
  await outbox.stamp([{ id, status: 'Sent', reason: null, atMs: MS }]);
  expect(await table.row(id)).toMatchObject({ version: 0 });
  await table.query(`grant update (version) on outbox_events to ${table.role}`);
  const [raising = expect.fail()] = openOutboxes(deps, [await ask()]);
  await raising.stamp([{ id, status: 'Failed', reason: 'x', atMs: MS + 1 }]);
  await raising.close();
  await table.query(`revoke update (version) on outbox_events from ${table.role}`);
  expect(await table.row(id)).toMatchObject({ version: 1, failure_reason: 'x' });
});

test('a role without a right is refused with the columns that it lacks', async () => {
  await table.query(`revoke update (failed_at) on outbox_events from ${table.role}`);
  const { refused } = await ask();
  await table.query(`grant update (failed_at) on outbox_events to ${table.role}`);
  expect(refused).toEqual([expect.stringContaining('may not update failed_at')]);
});

test('row-level security that hides rows refuses the start, and ends a running reader with an error instead of an empty answer', async () => {
  await table.add();
  expect((await outbox.page(null, 10)).rows).toHaveLength(1);
  await table.query('alter table outbox_events enable row level security');
  try {
    expect((await ask()).refused).toEqual([expect.stringContaining('only a part of the rows')]);
    await expect(outbox.page(null, 10)).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
    await table.query(
      `create policy pin_relay on outbox_events for all to ${table.role} using (true) with check (true)`,
    );
    const asked = await ask();
    expect(asked.refused).toEqual([]);
    const [open = expect.fail()] = openOutboxes(deps, [asked]);
    expect((await open.page(null, 10)).rows).toHaveLength(1);
    await open.close();
  } finally {
    await table.query('drop policy if exists pin_relay on outbox_events');
    await table.query('alter table outbox_events disable row level security');
  }
});

test('a debezium table without optional columns reads as nulls', async () => {
  await table.query(
    'create table outbox (id uuid primary key, aggregatetype text, aggregateid text, type text, payload jsonb)',
  );
  await table.query(`grant select on outbox to ${table.role}`);
  const bare = parseSource(`${table.schema}:debezium`) ?? expect.fail();
  const asked = await askSources(deps, [{ source: bare, databaseUrl: table.relayUrl }]);
  const [opened = expect.fail()] = openOutboxes(deps, asked);
  expect(opened).toMatchObject({ isOrdered: false, tellsOutcomes: false });
  const id = randomUUID();
  await table.query(
    `insert into outbox values ($1, 'Order', '1', 'NotificationRequested', '{}'), ($2, 'Order', '2', 'OrderPlaced', '{}')`,
    [id, randomUUID()],
  );
  expect((await opened.page(null, 9)).rows).toEqual([{ id, atMs: null }]);
  expect(await opened.rows([id])).toMatchObject([
    { id, aggregateId: '1', tenantId: null, occurredAtMs: null },
  ]);
  await opened.stamp([{ id, status: 'Sent', reason: null, atMs: MS }]);
  expect(await opened.counts()).toEqual({ open: 1, failed: 0 });
  await opened.close();
  await table.query('drop table outbox');
});
