// `pin run all` while the databases of some outbox tables do not answer: the others are relayed, /readyz names what is missing, and each is
// checked and relayed when it comes. Away is a database that refuses connections; the rows are read by plain SQL.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OutboxTable, outboxTable } from '../support/outbox-table.ts';
import { type PinProcess, startPin } from '../support/pin-process.ts';
import { openRealWorld, type RealWorld } from '../support/real-service.ts';
import { stackAddresses } from '../support/stack-servers.ts';
import { until } from '../support/until.ts';

const isTold = (row: Record<string, unknown>) => row['published_at'] !== null;

let world: RealWorld;
let server: pg.Client;
let here: OutboxTable;
let late: OutboxTable;
let unsafe: OutboxTable;
let service: PinProcess;
let url: string;
const names = ['late', 'unsafe'].map((word) => `${word}_${randomUUID().slice(0, 8)}`);

async function databaseOf(name: string): Promise<OutboxTable> {
  await server.query(`create database ${name}`);
  const address = new URL(stackAddresses().databaseUrl);
  address.pathname = `/${name}`;
  return outboxTable(address.href);
}

const allow = (name: string | undefined, isAllowed: boolean) =>
  server.query(`alter database ${name} allow_connections ${isAllowed}`);

beforeAll(async () => {
  const { databaseUrl } = stackAddresses();
  server = new pg.Client(databaseUrl);
  await server.connect();
  world = await openRealWorld();
  here = await outboxTable(databaseUrl);
  [late, unsafe] = [await databaseOf(names[0] ?? ''), await databaseOf(names[1] ?? '')];
  await unsafe.query('alter table outbox_events enable row level security');
  for (const name of names) await allow(name, false);
  service = startPin(['run', 'all'], {
    ...world.environment.variables,
    PIN_HTTP_ADDR: '127.0.0.1:0',
    PIN_RELAY_SCHEMAS: `${here.schema},${late.schema}@late,${unsafe.schema}@unsafe`,
    PIN_RELAY_DATABASE_URL: here.relayUrl,
    PIN_RELAY_DATABASE_URL_LATE: late.relayUrl,
    PIN_RELAY_DATABASE_URL_UNSAFE: unsafe.relayUrl,
    PIN_LOG_FORMAT: 'json',
  });
  url = String((await service.logged('process.started'))['http']);
});

afterAll(async () => {
  await service?.end('SIGTERM');
  for (const table of [here, late, unsafe]) await table?.drop();
  for (const name of names) await server.query(`drop database if exists ${name} with (force)`);
  await server?.end();
  await world?.stop();
});

interface Readiness {
  readonly status: number;
  readonly reasons: readonly string[];
}

/** What /readyz says, as soon as it says `reasons`, in any order. */
function readinessOf(...reasons: readonly string[]): Promise<Readiness> {
  let last: Readiness = { status: 0, reasons: [] };
  return until(
    () => `other reasons than ${JSON.stringify(last)}`,
    async () => {
      const response = await fetch(`${url}/readyz`);
      const body = (await response.json()) as { readonly reasons?: readonly string[] };
      last = { status: response.status, reasons: body.reasons ?? [] };
      const isAll = reasons.every((reason) => last.reasons.some((said) => said.includes(reason)));
      return isAll && last.reasons.length === reasons.length ? last : null;
    },
  );
}

test('each table is relayed as soon as its database answers, after the same checks', async () => {
  const [lateAway, unsafeAway] = [late, unsafe].map(({ schema }) => `${schema}.outbox_events`) as [
    string,
    string,
  ];
  expect(await readinessOf(lateAway, unsafeAway)).toMatchObject({ status: 503 });
  await here.rowWhere(await here.add(), isTold);

  await allow(names[0], true);
  const id = await late.add();
  await late.rowWhere(id, isTold);
  expect(world.vendor.ledger.messages.filter(({ reference }) => reference === id)).toHaveLength(1);
  expect(await readinessOf(unsafeAway)).toMatchObject({ status: 503 });

  await allow(names[1], true);
  expect(await readinessOf('row-level security')).toMatchObject({ status: 503 });
  const hidden = await unsafe.add();
  expect(isTold(await unsafe.row(hidden))).toBe(false);
  await unsafe.query('alter table outbox_events disable row level security');
  await unsafe.rowWhere(hidden, isTold);
  expect(await readinessOf()).toMatchObject({ status: 200 });
});
