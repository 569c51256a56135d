// A service writes outbox rows in transactions, some rolled back and one that began early and commits last, while relays are killed −9
// (also between the log's acknowledgement and writing it down) and Postgres goes away once. Judged by the vendor's ledger, the topic's
// bytes and the service's own table. RELAY_ROWS: how many rows.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { builtProgram } from '../support/built-program.ts';
import { aMail, insertRow, type OutboxTable, outboxTable } from '../support/outbox-table.ts';
import { type PinProcess, startNode, startPin } from '../support/pin-process.ts';
import { type RealService, startRealService } from '../support/real-service.ts';
import { relayVariables } from '../support/running-relay.ts';
import { stackAddresses, stackIsOurs, whileDown } from '../support/stack-servers.ts';
import { until } from '../support/until.ts';

const ROWS = Number(process.env['RELAY_ROWS'] ?? '10000');
const ROWS_PER_TRANSACTION = 10;
const END_LIMIT_MS = 60_000 + ROWS * 20;
const WRITERS = 4;
/** Short, so that what a killed relay held is taken over soon. */
const LEASE = '3s';

vi.setConfig({ testTimeout: END_LIMIT_MS + 120_000 });

type Fate = 'sent' | 'refused' | 'dead' | 'many' | 'other' | 'rolled-back';

let service: RealService;
let table: OutboxTable;
const living = new Set<PinProcess>();
const fates = new Map<string, Fate>();

beforeAll(async () => {
  table = await outboxTable(stackAddresses().databaseUrl);
  await table.run('relay-index.sql');
  await table.run('relay-notify.sql');
  // What the processor parks while the machine is busy comes back soon.
  service = await startRealService({
    variables: { PIN_PROVIDER_VENDOR_DEADLINE: '10s', PIN_SWEEP_PERIOD: '1s' },
  });
  service.vendor.shares([
    {
      recipientContains: 'refused',
      answer: { kind: 'error', status: 422, code: 'invalid_recipient', retriable: false },
    },
  ]);
});
afterAll(async () => {
  await Promise.all([...living].map((one) => one.end('SIGKILL')));
  await service.stop();
  await table.drop();
});

test('every committed request is delivered once, no rolled-back one is, and each row ends with the truth', async () => {
  const startedMs = systemClock.monotonicMs();
  const early = await table.connect();
  early.on('error', () => undefined);
  await early.query('begin');
  const late = await insertRow(early);
  const writing = Promise.all(Array.from({ length: WRITERS }, () => writeRows(ROWS / WRITERS)));
  const [first] = [startRelayProcess(), startRelayProcess()];
  const mortal = startMortal();
  await mortal.logged('mortal.standing');
  await kill(mortal);
  await writing;
  await kill(first);
  startRelayProcess();
  await early.query('commit');
  fates.set(late, 'sent');
  await early.end();
  const others = await otherRows();
  // A server that was given belongs to somebody else.
  if (stackIsOurs()) await whileDown('postgres', 'kill', () => Promise.resolve());
  await ended();
  await audit();
  expect(await otherRows()).toEqual(others);
  const seconds = Math.round((systemClock.monotonicMs() - startedMs) / 1_000);
  const repeats = service.seen.of(service.topics.requested).length - wanted().length;
  console.log(
    `relay: ${fates.size} rows, ${wanted().length} requests, ${repeats} repeated records, ${seconds} s`,
  );
});

function startRelayProcess(): PinProcess {
  const relay = startPin(['run', 'relay'], relayEnvironment());
  living.add(relay);
  return relay;
}

function startMortal(): PinProcess {
  const mortal = startNode(
    [builtProgram(new URL('../support/mortal-relay.ts', import.meta.url))],
    relayEnvironment(),
  );
  living.add(mortal);
  return mortal;
}

function relayEnvironment(): NodeJS.ProcessEnv {
  const settings = {
    PIN_RELAY_LEASE: LEASE,
    PIN_HTTP_ADDR: '127.0.0.1:0',
    PIN_LOG_LEVEL: 'warn',
    PIN_RELAY_BATCH: '100',
  };
  return { ...service.environment.variables, ...relayVariables(table), ...settings };
}

async function kill(one: PinProcess): Promise<void> {
  expect(await one.end('SIGKILL')).toMatchObject({ code: null });
  living.delete(one);
}

async function writeRows(count: number): Promise<void> {
  const client = await table.connect();
  try {
    for (let written = 0; written < count; written += ROWS_PER_TRANSACTION)
      await writeTransaction(client, written);
  } finally {
    await client.end();
  }
}

/** Every seventh transaction is rolled back. */
async function writeTransaction(client: pg.Client, number: number): Promise<void> {
  const isKept = (number / ROWS_PER_TRANSACTION) % 7 !== 3;
  const written: (readonly [string, Fate])[] = [];
  await client.query('begin');
  for (let index = 0; index < ROWS_PER_TRANSACTION; index += 1) {
    const fate = fateOf(number + index);
    written.push([await insertRow(client, rowOf(fate)), fate]);
  }
  await client.query(isKept ? 'commit' : 'rollback');
  for (const [id, fate] of written) fates.set(id, isKept ? fate : 'rolled-back');
}

function fateOf(number: number): Fate {
  if (number % 10 === 4) return 'other';
  if (number % 50 === 7) return 'dead';
  if (number % 50 === 17) return 'refused';
  return number % 50 === 27 ? 'many' : 'sent';
}

function rowOf(fate: Fate) {
  const id = randomUUID();
  if (fate === 'other') return { id, type: 'OrderPlaced', payload: { order: id } };
  if (fate === 'dead') return { id, payload: aMail({ to: [] }) };
  if (fate === 'refused') return { id, payload: aMail({ to: 'refused@example.com' }) };
  return { id, payload: fate === 'many' ? aMail({ to: ['ada@example.com', 'bob@example.com'] }) : aMail() };
}

const idsOf = (...kinds: readonly Fate[]) =>
  [...fates].flatMap(([id, fate]) => (kinds.includes(fate) ? [id] : []));
/** One record each, if nothing were ever repeated. */
const wanted = () => [...idsOf('sent', 'refused'), ...idsOf('many'), ...idsOf('many')];

function otherRows() {
  return table.query(
    `select o::text as row, xmin::text from outbox_events o where event_type <> 'NotificationRequested' order by id`,
  );
}

/** Every row of ours is told its outcome. */
async function ended(): Promise<void> {
  const open = `select count(*)::int as open from outbox_events
    where event_type = 'NotificationRequested' and published_at is null and failed_at is null`;
  let last: unknown = null;
  const stages = `select count(*) filter (where relayed_at is null)::int as claimed,
    count(*) filter (where relayed_at is not null and outcome_seq = 0)::int as waiting,
    count(*) filter (where stamped_seq < outcome_seq)::int as untold, (select count(*)::int from notifications where final is null) as unfinished
    from relay_rows`;
  await until(
    () =>
      `rows to be told: ${JSON.stringify(last)}; ${[...living].flatMap((one) => one.logLines()).join('; ')}`,
    async () => {
      const [left] = await table.query(open).catch(() => [{ open: 'away' }]);
      last = { ...left, ...(await service.query(stages).catch(() => []))[0] };
      return left?.['open'] === 0 ? true : null;
    },
    END_LIMIT_MS,
  );
}

async function audit(): Promise<void> {
  const { calls, messages } = service.vendor.ledger;
  const delivered = new Map<string, number>();
  for (const { reference } of messages) delivered.set(reference, (delivered.get(reference) ?? 0) + 1);
  const rows = new Map(
    (await table.query('select * from outbox_events')).map((row) => [String(row['id']), row]),
  );
  const stamps = (id: string) => {
    const row = rows.get(id);
    if (row === undefined) return 'gone';
    return row['published_at'] === null ? String(row['failure_reason']) : 'Sent';
  };
  expect(idsOf('sent').filter((id) => delivered.get(id) !== 1)).toEqual([]);
  expect(messages).toHaveLength(idsOf('sent').length + 2 * idsOf('many').length);
  const asked = new Set(calls.map(({ reference }) => reference));
  expect(idsOf('rolled-back', 'other', 'dead').filter((id) => asked.has(id) || delivered.has(id))).toEqual(
    [],
  );
  expect(new Set(idsOf('sent', 'many').map(stamps))).toEqual(new Set(['Sent']));
  expect(new Set(idsOf('refused').map(stamps))).toEqual(
    new Set(['NTF_PROVIDER_INVALID_RECIPIENT (refused)']),
  );
  expect(new Set(idsOf('dead').map(stamps))).toEqual(new Set(['invalid-field: to names nobody']));
  expect(new Set(idsOf('rolled-back').map(stamps))).toEqual(new Set(['gone']));
  expect(differingRepeats()).toEqual([]);
  expect(service.deadLetters()).toHaveLength(0);
}

/** Records of one id are repeats of one request, byte for byte, in one partition: there is nothing that could come in another order. */
function differingRepeats(): readonly string[] {
  const first = new Map<string, string>();
  return service.seen.of(service.topics.requested).flatMap(({ key, value, partition, headers }) => {
    const id = Buffer.from(key ?? []).toString();
    const same = JSON.stringify([partition, Buffer.from(value ?? []).toString('hex'), headers]);
    const known = first.get(id) ?? same;
    first.set(id, known);
    return known === same ? [] : [id];
  });
}
