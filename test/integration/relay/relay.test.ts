// The relay beside a processor on real servers: from a row to the vendor's ledger and back to the row.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runPin } from '../../../src/app/program.ts';
import type { RunningRelay } from '../../../src/app/relay-assembly.ts';
import { uuidOfName } from '../../../src/runtime/ids.ts';
import { aMail, type OutboxTable, outboxTable } from '../../support/outbox-table.ts';
import { type RealService, startRealService, testEnvironment } from '../../support/real-service.ts';
import { relayVariables, startRelayFor } from '../../support/running-relay.ts';
import { stackAddresses } from '../../support/stack-servers.ts';

const REFUSAL = { kind: 'error', status: 422, code: 'invalid_recipient', retriable: false } as const;
let service: RealService;
let table: OutboxTable;
let relay: RunningRelay;

beforeAll(async () => {
  table = await outboxTable(stackAddresses().databaseUrl);
  await table.run('relay-index.sql');
  await table.run('relay-notify.sql');
  service = await startRealService();
  relay = await startRelayFor(service, table, { PIN_RELAY_POLL: '500ms' });
});
afterAll(async () => {
  await relay.stop();
  await service.stop();
  await table.drop();
});

const messagesOf = (id: string) => service.vendor.ledger.messages.filter(({ reference }) => reference === id);
const isTold = (row: Record<string, unknown>) => row['published_at'] !== null || row['failed_at'] !== null;

/** `pin relay …` as a person runs it. */
async function pin(...args: readonly string[]) {
  const out: string[] = [];
  const variables = {
    ...(service.environment.variables as Record<string, string>),
    ...relayVariables(table),
  };
  const stdout = { write: (text: string) => out.push(text), isTerminal: false };
  const code = await runPin(args, { ...testEnvironment(variables), stdout });
  const lines = out
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{'));
  return { code, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test('a row becomes a message, and is told so only when it is final', async () => {
  const companyId = randomUUID();
  const id = await table.add({ companyId });
  const row = await table.rowWhere(id, isTold);
  const outcome = await service.outcome(id);
  expect(row).toMatchObject({
    failed_at: null,
    failure_reason: null,
    published_at: new Date(outcome.dispatchedAt),
  });
  expect(outcome).toMatchObject({ status: 'Sent', tenantId: companyId, correlationId: id });
  expect(messagesOf(id)).toHaveLength(1);
  const [record] = service.seen.of(service.topics.requested, id);
  expect(Buffer.from(record?.headers['ce_tenantid'] ?? []).toString()).toBe(companyId);
});

test('a terminal failure is told with its code; a redrive starts over, and its success is told instead', async () => {
  const id = randomUUID();
  service.vendor.plan(id, [REFUSAL]);
  await table.add({ id });
  expect(await table.rowWhere(id, isTold)).toMatchObject({
    published_at: null,
    failure_reason: 'NTF_PROVIDER_INVALID_RECIPIENT (refused)',
  });
  expect(await pin('relay', 'reemit', id, '--dry-run', '--json')).toMatchObject({
    code: 0,
    lines: [{ id, step: 'redrive' }],
  });
  expect((await pin('relay', 'reemit', id, '--yes')).code).toBe(0);
  const row = await table.rowWhere(id, ({ published_at }) => published_at !== null);
  expect(row).toMatchObject({ failed_at: null, failure_reason: null });
  expect(await service.outcome(id, 2)).toMatchObject({ status: 'Sent', cycle: 1, supersedes: 1 });
  expect(messagesOf(id)).toHaveLength(1);
});

test('several recipients become one notification each, and the row is failed when one of them is', async () => {
  const id = randomUUID();
  const [ada, bob] = [uuidOfName(id, 'ada@example.com'), uuidOfName(id, 'bob@example.com')];
  service.vendor.plan(bob, [REFUSAL]);
  await table.add({ id, payload: aMail({ to: ['ada@example.com', 'bob@example.com'] }) });
  expect(await table.rowWhere(id, isTold)).toMatchObject({
    published_at: null,
    failure_reason: '1 of 2 recipients failed: NTF_PROVIDER_INVALID_RECIPIENT (refused)',
  });
  expect([messagesOf(ada).length, messagesOf(bob).length]).toEqual([1, 0]);
  expect((await service.row(ada))?.['id']).toBe(ada);
  await pin('relay', 'reemit', id, '--yes');
  await table.rowWhere(id, ({ published_at }) => published_at !== null);
  expect([messagesOf(ada).length, messagesOf(bob).length]).toEqual([1, 1]);
});

test('a payload that can never parse is dead at once, holds up nobody, and is read anew when it is mended', async () => {
  const bad = await table.add({ payload: aMail({ channel: 'fax' }) });
  const good = await table.add();
  expect(await table.rowWhere(bad, isTold)).toMatchObject({
    published_at: null,
    failure_reason: 'unknown-channel: channel is not one of ours',
  });
  await table.rowWhere(good, ({ published_at }) => published_at !== null);
  await table.query('update outbox_events set payload = $2 where id = $1', [bad, JSON.stringify(aMail())]);
  expect(await pin('relay', 'reemit', '--reason', 'unknown-channel', '--yes', '--json')).toMatchObject({
    code: 0,
    lines: [{ id: bad, step: 'read anew' }],
  });
  await table.rowWhere(bad, ({ published_at }) => published_at !== null);
  expect(messagesOf(bad)).toHaveLength(1);
});

test('a row whose transaction began early and commits late is relayed all the same', async () => {
  const client = await table.connect();
  const id = randomUUID();
  try {
    await client.query('begin');
    await client.query(
      `insert into outbox_events (id, event_type, payload, occurred_at) values ($1, 'NotificationRequested', $2, now() - interval '1 hour')`,
      [id, JSON.stringify(aMail())],
    );
    await table.rowWhere(await table.add(), isTold);
    await client.query('commit');
  } finally {
    await client.end();
  }
  expect(await table.rowWhere(id, isTold)).toMatchObject({ failed_at: null });
});

test('a record that the processor never received is relayed again, and the one that it has stays one message', async () => {
  const impatient = await startRelayFor(service, table, { PIN_RELAY_MISSING_AFTER: '1s' });
  try {
    const id = randomUUID();
    // As if the log had lost it: it was relayed long ago, and no notification has its id.
    await service.query(
      `insert into relay_rows (id, source, claimed_at, relayed_at, due_at, relays) values ($1, $2, now(), now(), now(), 1)`,
      [id, `${table.schema}.outbox_events`],
    );
    await table.add({ id });
    expect(await table.rowWhere(id, isTold)).toMatchObject({ failed_at: null });
    expect(messagesOf(id)).toHaveLength(1);
  } finally {
    await impatient.stop();
  }
});

test('an outcome that nobody told is read from the table', async () => {
  const impatient = await startRelayFor(service, table, { PIN_RELAY_MISSING_AFTER: '1s' });
  try {
    const id = await table.add();
    await table.rowWhere(id, isTold);
    // The table counts only once the processor has noted that the topic has the outcome.
    await service.rowWhere(id, (row) => Number(row['published_seq']) === 1);
    await table.query('update outbox_events set published_at = null where id = $1', [id]);
    await service.query(
      'update relay_rows set outcome_seq = 0, stamped_seq = 0, outcome_status = null, due_at = now() where id = $1',
      [id],
    );
    expect(await table.rowWhere(id, isTold)).toMatchObject({ failed_at: null });
    expect(messagesOf(id)).toHaveLength(1);
  } finally {
    await impatient.stop();
  }
});

test('the status counts what failed and what is pending, and reemit says what it does not find', async () => {
  const bad = await table.add({ payload: aMail({ channel: 'fax' }) });
  await table.rowWhere(bad, isTold);
  const status = await pin('relay', 'status', '--json');
  expect(status).toMatchObject({
    code: 0,
    lines: [{ source: `${table.schema}.outbox_events`, pending: 0, dead: 1 }],
  });
  expect((await pin('relay', 'reemit', randomUUID())).code).toBe(3);
  expect((await pin('relay', 'reemit')).code).toBe(2);
});

test('`pin run relay` refuses a role that does not see all rows, with a sentence and exit code 78', async () => {
  await table.query('alter table outbox_events enable row level security');
  try {
    await expect(startRelayFor(service, table)).rejects.toMatchObject({
      code: 'START_UNSAFE',
      message: expect.stringContaining('row-level security') as string,
    });
  } finally {
    await table.query('alter table outbox_events disable row level security');
  }
});
