// `pin run` as a process of its own on the real servers: what it tells probes, scrapers and log readers, and how it goes and comes back.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { encodeRequest } from '../../src/streams/requested.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { needs } from '../support/needed-tool.ts';
import { type PinProcess, startPin } from '../support/pin-process.ts';
import { openRealWorld, type RealWorld, testChannel } from '../support/real-service.ts';
import { type RefusingProxy, refusingProxy } from '../support/refusing-proxy.ts';
import { stackAddresses } from '../support/stack-servers.ts';
import { until } from '../support/until.ts';

vi.setConfig({ testTimeout: 120_000 });

const CALL_TAKES_MS = 1_500;
/** PIN_STOP_LIMIT of the processes here. */
const STOP_LIMIT_MS = 15_000;
const SENDS_WITHIN_MS = 10_000;

let world: RealWorld;
let proxy: RefusingProxy;
let variables: NodeJS.ProcessEnv;
/** The process that runs now, and where it answers. */
let process: PinProcess;
let url: string;
beforeAll(async () => {
  world = await openRealWorld({ channels: [testChannel('email'), testChannel('sms')] });
  proxy = await refusingProxy(stackAddresses().registryUrl);
  variables = {
    ...world.environment.variables,
    PIN_HTTP_ADDR: '127.0.0.1:0',
    PIN_LOG_LEVEL: 'debug',
    PIN_STOP_LIMIT: `${STOP_LIMIT_MS}ms`,
    PIN_REGISTRY_URL: proxy.urlFor(stackAddresses().registryUrl),
  };
  await start();
});
afterEach(() => proxy.pass());
afterAll(async () => {
  await process.end('SIGTERM');
  await proxy.close();
  await world.stop();
});

test('/readyz names the registry while it is away, /livez stays live, and what waited is sent afterwards', async () => {
  expect(await get(`${url}/livez`)).toMatchObject({ status: 200, json: { status: 'live' } });
  await readiness(url, 200);
  proxy.refuse();
  const request = freshRequest();
  await world.send(request);
  const unready = await readiness(url, 503);
  expect(unready.json).toMatchObject({ code: 'PIN_NOT_READY', reasons: ['registry does not answer'] });
  expect(await get(`${url}/livez`)).toMatchObject({ status: 200 });
  expect(world.vendor.ledger.calls).toHaveLength(0);
  proxy.pass();
  expect(await world.outcome(request.notificationId)).toMatchObject({ status: 'Sent' });
  expect((await readiness(url, 200)).json).toMatchObject({
    status: 'ready',
    state: 'running',
    tasks: [0, 1],
  });
});

test('/metrics counts what happened and says nothing that promtool would object to', async (context) => {
  const sent = requestBySms();
  const retried = requestBySms();
  world.vendor.plan(retried.notificationId, [
    { kind: 'error', status: 503, code: 'overloaded', retriable: true },
  ]);
  await Promise.all([world.send(sent), world.send(retried), produceGarbage()]);
  await Promise.all([sent, retried].map(({ notificationId }) => world.outcome(notificationId)));
  const wanted = [
    'pin_notifications_requested_total{channel="sms"} 2',
    'pin_notifications_dispatched_total{channel="sms",status="Sent"} 2',
    'pin_delivery_attempts_total{channel="sms",provider="vendor",result="accepted"} 2',
    'pin_delivery_attempts_total{channel="sms",provider="vendor",result="transient"} 1',
    'pin_retry_scheduled_total{tier="1s"} 1',
    'pin_retry_sent_total{channel="sms"} 1',
    'pin_delivery_duration_seconds_count{channel="sms",provider="vendor"} 3',
    'pin_dlq_total{reason="bad-magic"} 1',
  ];
  let missing: readonly string[] = wanted;
  const page = await until(
    () => `the metrics ${missing.join(', ')}`,
    async () => {
      const { text } = await get(`${url}/metrics`);
      missing = wanted.filter((line) => !text.split('\n').includes(line));
      return missing.length === 0 ? text : null;
    },
  );
  expect(page).not.toMatch(new RegExp(`${sent.notificationId}|example\\.com`));
  needs(context, 'promtool');
  const linted = spawnSync('promtool', ['check', 'metrics'], { input: page, encoding: 'utf8' });
  expect(linted.stdout + linted.stderr).toBe('');
  expect(linted.status).toBe(0);
});

test('logs are JSON lines of one event each, without a recipient, a body or a provider’s words', async () => {
  const secret = randomUUID().slice(0, 8);
  const address = `ada.${secret}@example.com`;
  const number = '+15550109876';
  const words = `the eagle ${secret} has landed`;
  const body = { subject: words, text: words, html: null };
  const ended = [
    freshRequest({ recipient: address, body }),
    freshRequest({ recipient: address, body, data: { note: words }, attributes: {} }),
    freshRequest({ channel: 'sms', recipient: number, body }),
  ];
  const [, retried, refused] = ended;
  world.vendor.plan(retried?.notificationId ?? '', [
    { kind: 'page', status: 502, text: `cannot reach ${address} ${words}` },
    { kind: 'error', status: 503, code: 'overloaded', retriable: true },
  ]);
  world.vendor.plan(refused?.notificationId ?? '', [
    { kind: 'error', status: 422, code: 'invalid_recipient', retriable: false },
  ]);
  await Promise.all([...ended.map((request) => world.send(request)), produceGarbage(`${address} ${words}`)]);
  await Promise.all(ended.map(({ notificationId }) => world.outcome(notificationId)));
  await process.logged('record.dead-lettered');
  const told = [
    'notification.sent',
    'notification.attempted',
    'notification.retry-scheduled',
    'notification.failed',
  ];
  await until(
    'the lines of what happened',
    () => told.every((event) => eventsIn(process.logLines()).includes(event)) || null,
  );
  expect(process.stdout()).toBe('');
  const lines = process.logLines();
  for (const line of lines) {
    const { time, level, event } = JSON.parse(line) as Record<string, unknown>;
    expect([typeof time, typeof level], line).toEqual(['string', 'string']);
    expect(event, line).toMatch(EVENT_NAME);
  }
  expect(lines.join('\n')).not.toMatch(new RegExp(`${secret}|eagle|${number.slice(1)}`));
});

test('SIGTERM lets the call in flight end, exits 0 in time, and the next process sends within seconds', async () => {
  const inFlight = freshRequest();
  world.vendor.plan(inFlight.notificationId, [{ kind: 'accept', latencyMs: CALL_TAKES_MS }]);
  await world.send(inFlight);
  await world.vendor.waitFor(
    ({ calls }) => calls.some(({ reference }) => reference === inFlight.notificationId),
    30_000,
  );
  const askedAtMs = systemClock.nowMs();
  const { code } = await process.end('SIGTERM');
  expect(code).toBe(0);
  expect(systemClock.nowMs() - askedAtMs).toBeLessThan(STOP_LIMIT_MS);
  const outcome = await world.outcome(inFlight.notificationId);
  expect(outcome).toMatchObject({ status: 'Sent', attempts: 1 });
  const waiting = freshRequest();
  await world.send(waiting);
  await start();
  const startedAtMs = systemClock.nowMs();
  expect(await world.outcome(waiting.notificationId)).toMatchObject({ status: 'Sent', attempts: 1 });
  const [call] = world.vendor.ledger.calls.filter(({ reference }) => reference === waiting.notificationId);
  expect((call?.atMs ?? Number.NaN) - startedAtMs).toBeLessThan(SENDS_WITHIN_MS);
  expect(
    world.vendor.ledger.messages.filter(({ reference }) => reference === inFlight.notificationId),
  ).toHaveLength(1);
  expect(await world.outcomesOf(inFlight.notificationId)).toHaveLength(1);
});

/** Resolves when `pin run` says that it has started. */
async function start(): Promise<void> {
  process = startPin(['run'], variables);
  const { http } = await process.logged('process.started');
  url = String(http);
}

function requestBySms() {
  return freshRequest({ channel: 'sms', recipient: '+15550100' });
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: unknown;
}

async function get(url: string): Promise<Answer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, text, json: isJson ? JSON.parse(text) : null };
}

function readiness(url: string, status: number): Promise<Answer> {
  return until(`/readyz to answer ${status}`, async () => {
    const answer = await get(`${url}/readyz`);
    return answer.status === status ? answer : null;
  });
}

async function produceGarbage(text = 'not framed'): Promise<void> {
  const record = encodeRequest(world.topics, world.codec, freshRequest(), null);
  await world.produce({ ...record, value: Buffer.from(text) });
}

const EVENT_NAME = /^[a-z-]+(\.[a-z-]+)+$/;
const eventsIn = (lines: readonly string[]) =>
  lines.map((line) => (JSON.parse(line) as { event: string }).event);
