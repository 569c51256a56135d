// The doors of upstream services on the real servers, each in a process of its own: what came through them is judged by the vendor's
// ledger, the topic and the table.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '../../src/gateway/producer-tokens.ts';
import { uuidOfName } from '../../src/runtime/ids.ts';
import { type PinProcess, startPin } from '../support/pin-process.ts';
import { type RealService, startRealService } from '../support/real-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'pin-doors-'));
const orders = newToken('orders', 'tenant-1', Buffer.alloc(32, 1));
const own = newToken('console', null, Buffer.alloc(32, 2));
const good = { channel: 'email', recipient: 'ada@example.com', body: { text: 'Hello, Ada' } };

let service: RealService;
let gateway: PinProcess;
let url: string;

beforeAll(async () => {
  service = await startRealService();
  const tokens = join(folder, 'tokens');
  writeFileSync(tokens, [orders, own].map(({ entry }) => JSON.stringify(entry)).join('\n'));
  gateway = startPin(['run', 'gateway'], {
    ...service.environment.variables,
    PIN_HTTP_ADDR: '127.0.0.1:0',
    PIN_PRODUCER_TOKENS_FILE: tokens,
    PIN_LOG_FORMAT: 'json',
  });
  url = String((await gateway.logged('process.started'))['http']);
});

afterAll(async () => {
  await gateway?.end('SIGTERM');
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(
  method: string,
  path: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${orders.token}`, 'content-type': 'application/json', ...more },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}

describe('POST /v1/notifications', () => {
  test('a request over HTTP ends in one message and one outcome, however often it is repeated', async () => {
    const id = randomUUID();
    for (let n = 0; n < 3; n += 1) {
      const answer = await ask('POST', '/v1/notifications', good, { 'idempotency-key': id });
      expect(answer).toMatchObject({ status: 202, body: { notifications: [{ notificationId: id }] } });
    }
    expect(await service.outcome(id)).toMatchObject({ status: 'Sent', tenantId: 'tenant-1', outcomeSeq: 1 });
    const requests = service.seen.of(service.topics.requested, id);
    expect(requests).toHaveLength(3);
    expect(service.vendor.ledger.messages.filter(({ reference }) => reference === id)).toHaveLength(1);
    // The time of asking is not part of what makes two requests the same.
    expect(service.deadLetters()).toEqual([]);
  });

  test('a batch with a list of recipients is delivered once each', async () => {
    const key = randomUUID();
    const recipients = Array.from({ length: 20 }, (_, n) => `reader-${n}@example.com`);
    const batch = { notifications: [good, { channel: 'email', body: { text: 'News' }, to: recipients }] };
    const { status } = await ask('POST', '/v1/notifications', batch, { 'idempotency-key': key });
    const parent = uuidOfName(key, '1');
    const ids = [uuidOfName(key, '0'), ...recipients.map((recipient) => uuidOfName(parent, recipient))];
    expect(status).toBe(202);
    for (const id of ids) expect(await service.outcome(id)).toMatchObject({ status: 'Sent' });
    const sent = service.vendor.ledger.messages.filter(({ reference }) => ids.includes(reference));
    expect(sent.map(({ recipient }) => recipient).sort()).toEqual(['ada@example.com', ...recipients].sort());
  });

  test('one bad item and nothing reaches the topic', async () => {
    const id = randomUUID();
    const batch = {
      notifications: [
        { ...good, notificationId: id },
        { ...good, recipient: 'a@b.c,d@e.f' },
      ],
    };
    const { status, body } = await ask('POST', '/v1/notifications', batch);
    expect([status, body['errors']]).toMatchObject([422, [{ pointer: '/notifications/1/recipient' }]]);
    await ask('POST', '/v1/notifications', good);
    expect(service.seen.of(service.topics.requested, id)).toEqual([]);
  });

  test('without a token nobody gets in', async () => {
    const answer = await ask('POST', '/v1/notifications', good, {
      authorization: 'Bearer pin_somebody-elses',
    });
    expect(answer).toMatchObject({ status: 401, body: { code: 'PIN_UNAUTHORIZED' } });
  });
});

describe('GET /v1/notifications/{id}', () => {
  test('its own tenant reads facts and timeline, another one finds nothing', async () => {
    const id = randomUUID();
    await ask('POST', '/v1/notifications', good, { 'idempotency-key': id });
    await service.outcome(id);
    expect(await ask('GET', `/v1/notifications/${id}`)).toMatchObject({
      status: 200,
      body: { id, tenant: 'tenant-1', status: 'Sent', attempts: 1 },
    });
    const { body } = await ask('GET', `/v1/notifications/${id}/timeline`);
    expect(body['lines']).not.toEqual([]);
    expect(JSON.stringify(body)).not.toContain('ada@example.com');
    const other = { authorization: `Bearer ${own.token}` };
    expect((await ask('GET', `/v1/notifications/${id}`, undefined, other)).status).toBe(404);
  });
});

test('the document, the probes and the counters answer without a token', async () => {
  const none = { authorization: '' };
  expect(await ask('GET', '/openapi.json', undefined, none)).toMatchObject({
    status: 200,
    body: { openapi: '3.1.0' },
  });
  expect(await ask('GET', '/readyz', undefined, none)).toMatchObject({
    status: 200,
    body: { status: 'ready' },
  });
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/pin_http_requests_total\{route="\/v1\/notifications",status="202"\} \d+/);
});
