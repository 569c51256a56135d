// The programs of docs/examples, run as their readers would: another project with the kits as npm installs them, on the real servers.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { uuidOfName } from '../../src/runtime/ids.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { buildKits, type KitConsumer, kitConsumer } from '../support/kit-consumer.ts';
import { pin, startNode, startPin } from '../support/pin-process.ts';
import { type RealService, startRealService } from '../support/real-service.ts';
import { until } from '../support/until.ts';

vi.setConfig({ testTimeout: 90_000 });

const EXAMPLES = fileURLToPath(new URL('../../docs/examples/', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/app/main.js', import.meta.url));
const SET_UP_LIMIT_MS = 300_000;
const WALK_LIMIT_MS = 400_000;
const run = promisify(execFile);

let service: RealService;
let reader: KitConsumer;

beforeAll(async () => {
  await buildKits();
  reader = await kitConsumer(['producer', 'delivery', 'testing'], ['kafkajs', 'pg', 'avsc']);
  for (const name of ['produce', 'produce-in-transaction', 'outcomes'])
    reader.write(`${name}.js`, javaScript(`${name}.ts`));
  // Held notifications are released by the sweep.
  service = await startRealService({ variables: { PIN_SWEEP_PERIOD: '2s' } });
}, SET_UP_LIMIT_MS);

afterAll(async () => {
  await service?.stop();
  reader?.remove();
});

function javaScript(name: string): string {
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    verbatimModuleSyntax: true,
  };
  return ts.transpileModule(readFileSync(EXAMPLES + name, 'utf8'), { compilerOptions }).outputText;
}

function variables(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { config, topics } = service;
  const database = new URL(config.database.url);
  database.searchParams.set('options', `-csearch_path=${config.database.schema}`);
  return {
    KAFKA_BROKERS: config.kafka.brokers.join(','),
    REGISTRY_URL: config.registry.url,
    DATABASE_URL: database.href,
    REQUESTED_TOPIC: topics.requested,
    DISPATCHED_TOPIC: topics.dispatched,
    PARTITIONS: String(config.topics.partitions),
    ...more,
  };
}

test('produce.ts asks on Kafka, and asked again nothing is sent twice', async () => {
  const id = randomUUID();
  const ids = ['ada@example.com', 'bob@example.com'].map((recipient) => uuidOfName(id, recipient));
  for (let n = 0; n < 2; n += 1) {
    expect((await reader.node('produce.js', [id], variables())).split('\n').slice(0, -1)).toEqual(ids);
  }
  for (const one of ids) {
    expect(await service.outcome(one)).toMatchObject({ status: 'Sent', correlationId: 'order-4711' });
    expect(service.vendor.ledger.messages.filter(({ reference }) => reference === one)).toHaveLength(1);
    // In its own partition from the start: nobody had to produce it again.
    expect(service.seen.of(service.topics.requested, one)).toHaveLength(2);
  }
});

test('produce-in-transaction.ts and produce.sql leave a row for what was committed, and `pin run relay` has it sent', async () => {
  await service.query(`create table orders (id text primary key)`);
  await service.query(OUTBOX);
  const [id, rolledBack] = (await reader.node('produce-in-transaction.js', [], variables())).split('\n');
  await service.query(readFileSync(`${EXAMPLES}produce.sql`, 'utf8'));
  expect(rolledBack).toBe('4712: nothing was asked for');
  const rows = await service.query(
    `select id::text, event_type, aggregate_id, payload, company_id from outbox_events order by aggregate_id`,
  );
  expect(rows).toMatchObject([
    { id, event_type: 'NotificationRequested', aggregate_id: '4711', payload: { to: 'ada@example.com' } },
    { aggregate_id: '4713', company_id: 'acme', payload: { to: ['ada@example.com', 'bob@example.com'] } },
  ]);
  const many = String(rows[1]?.['id']);
  const asked = [String(id), ...['ada@example.com', 'bob@example.com'].map((to) => uuidOfName(many, to))];
  const relay = startPin(['run', 'relay'], {
    ...service.environment.variables,
    PIN_HTTP_ADDR: '127.0.0.1:0',
    PIN_RELAY_SCHEMAS: service.config.database.schema,
  });
  try {
    const open = () => service.query('select id from outbox_events where published_at is null');
    await until(
      () => `the rows to be told; the relay said ${relay.logLines().join('\n')}`,
      async () => ((await open()).length === 0 ? true : null),
    );
  } finally {
    await relay.end('SIGTERM');
  }
  const sent = service.vendor.ledger.messages.map(({ reference }) => reference);
  expect(sent.filter((reference) => asked.includes(reference)).sort()).toEqual(asked.sort());
});

test('outcomes.ts keeps each outcome once, through a kill and a replay of the whole topic', async () => {
  const asked = [freshRequest(), freshRequest({ recipient: 'nobody@example.com' }), freshRequest()];
  const refused = asked[1]?.notificationId ?? '';
  service.vendor.plan(refused, [{ kind: 'error', status: 422, code: 'invalid_recipient', retriable: false }]);
  for (const request of asked) await service.send(request);
  for (const { notificationId } of asked) await service.outcome(notificationId);
  const expected = new Set(
    service.seen.of(service.topics.dispatched).map(({ key }) => Buffer.from(key ?? []).toString()),
  );
  const rows = () => service.query('select notification_id::text as id, status from current_outcomes');
  // The second of another group reads everything again.
  for (const GROUP of ['analytics', 'analytics', 'replay'].map(
    (name) => `${service.topics.prefix}.${name}`,
  )) {
    const program = startNode([join(reader.folder, 'outcomes.js')], variables({ GROUP }));
    const all = async () => ((await rows().catch(() => [])).length >= expected.size ? true : null);
    await until(() => `the outcomes; it said ${program.logLines().join('\n')}`, all);
    await program.end('SIGKILL');
  }
  const kept = await rows();
  expect(new Set(kept.map(({ id }) => id))).toEqual(expected);
  expect(kept.find(({ id }) => id === refused)).toMatchObject({ status: 'Failed' });
  const all = await service.query(
    'select count(*)::int as n, count(distinct (notification_id, outcome_seq))::int as different from notification_outcomes',
  );
  expect(all[0]).toMatchObject({ n: expected.size, different: expected.size });
});

test('outcomes.duckdb.sql counts what pin topics tail prints', async () => {
  const request = freshRequest();
  await service.send(request);
  await service.outcome(request.notificationId);
  const count = service.seen.of(service.topics.dispatched).length;
  const { stdout } = await pin(
    ['topics', 'tail', 'dispatched', '--from', 'start', '--count', String(count)],
    service.environment.variables,
  );
  const path = join(reader.folder, 'outcomes.jsonl');
  writeFileSync(path, stdout + stdout);
  const database = await (await DuckDBInstance.create()).connect();
  const sql = readFileSync(`${EXAMPLES}outcomes.duckdb.sql`, 'utf8').replace("'outcomes.jsonl'", `'${path}'`);
  const answer = (await database.runAndReadAll(sql)).getRowObjects();
  expect(answer).toContainEqual(expect.objectContaining({ channel: 'email', status: 'Sent' }));
  const total = answer.reduce((sum, { notifications }) => sum + Number(notifications), 0);
  expect(total).toBe(
    new Set(service.seen.of(service.topics.dispatched).map(({ key }) => Buffer.from(key ?? []).toString()))
      .size,
  );
  database.closeSync();
});

test('asked-once.test.mjs passes as it stands', async () => {
  reader.write('asked-once.test.mjs', readFileSync(`${EXAMPLES}asked-once.test.mjs`, 'utf8'));
  expect(await reader.node('asked-once.test.mjs')).toContain('# pass 1');
});

test('operate.sh walks an operator’s day to its end', { timeout: WALK_LIMIT_MS }, async () => {
  const bin = join(reader.folder, 'bin');
  reader.write('bin/pin', `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(join(bin, 'pin'), 0o755);
  const env = { ...service.environment.variables, PATH: `${bin}:${process.env['PATH']}`, NO_COLOR: '1' };
  const { stdout } = await run('bash', [`${EXAMPLES}operate.sh`, 'email', 'vendor'], {
    env,
    timeout: WALK_LIMIT_MS,
  });
  expect(stdout).toContain('Next:');
  const [last] = service.vendor.ledger.messages.slice(-1);
  expect(last).toMatchObject({ recipient: 'ada@example.com' });
});

/** The columns of the preset `backbone`. */
const OUTBOX = `create table outbox_events (
  id uuid primary key, event_type text not null, aggregate_type text not null, aggregate_id text not null, payload jsonb not null,
  company_id text, org_unit_id text, correlation_id text, causation_id text, occurred_at timestamptz not null default now(),
  published_at timestamptz, failed_at timestamptz, failure_reason text, version int not null default 1)`;
