import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { partitionFor } from '../../../src/broker/partitioner.ts';
import { httpRequests } from '../../../src/kits/producer/http.ts';
import { type KafkaMessage, openKafkaRequests } from '../../../src/kits/producer/kafka.ts';
import { RequestRefused } from '../../../src/kits/producer/new-notification.ts';
import { newRequests } from '../../../src/kits/producer/new-requests.ts';
import { requestNotification } from '../../../src/kits/producer/outbox.ts';
import { causedBy } from '../../../src/runtime/cause.ts';
import { uuidOfName } from '../../../src/runtime/ids.ts';
import { decodeRequested } from '../../../src/streams/requested.ts';
import { readSchemaFamily } from '../../../src/streams/schema-files.ts';
import { type Door, openDoor, TOKENS } from '../gateway/a-door.ts';
import { aCodec, received } from '../streams/a-codec.ts';

const hello = { channel: 'email', to: 'ada@example.com', body: { text: 'Hello, Ada' } } as const;
const full = {
  ...hello,
  notificationId: '0d4f8c1e-3b7a-4a51-9c55-123456789012',
  tenantId: 'tenant-1',
  data: { name: 'Ada' },
  inApp: { userId: 'u-1', title: 'Hello', body: 'Ada' },
  notAfter: 1_900_000_000_000,
  requestedAt: 1_800_000_000_000,
  aggregateType: 'order',
  aggregateId: '4711',
  correlationId: 'c-1',
  attributes: { campaign: 'autumn' },
} as const;

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

function refusalOf(asked: unknown): [string | null, string] {
  try {
    newRequests(asked as typeof hello);
  } catch (error) {
    if (error instanceof RequestRefused) return [error.field, error.reason];
    throw error;
  }
  return expect.fail('it was not refused');
}

describe('what is asked for', () => {
  it.each<[string, unknown, string | null, string]>([
    ['a channel of nobody', { ...hello, channel: 'fax' }, 'channel', 'unknown-channel'],
    ['nobody', { ...hello, to: [] }, 'to', 'invalid-field'],
    ['no recipient', { channel: 'email' }, 'to', 'invalid-field'],
    ['two in one', { ...hello, to: 'a@b.c, d@e.f' }, 'recipient', 'recipient-list'],
    ['a body and a template', { ...hello, template: { key: 'k' } }, 'template', 'invalid-field'],
    ['an id that is no uuid', { ...hello, notificationId: 'x' }, 'notificationId', 'invalid-field'],
    ['a number for a text', { ...hello, data: { n: 7 } }, 'data', 'invalid-field'],
    ['a date for a time', { ...hello, notAfter: '2027-01-01' }, 'notAfter', 'invalid-field'],
    ['seconds for milliseconds', { ...hello, notAfter: 1_800_000_000 }, 'notAfter', 'invalid-field'],
    ['a field of nobody', { ...hello, subject: 'x' }, 'subject', 'invalid-field'],
    ['a part of nobody', { ...hello, body: { text: 'x', markdown: 'x' } }, 'body.markdown', 'invalid-field'],
    ['half a copy', { ...hello, inApp: { userId: 'u' } }, 'inApp.title', 'invalid-field'],
    ['nothing', null, 'notification', 'invalid-field'],
  ])('is refused with its field: %s', (_, asked, field, reason) => {
    expect(refusalOf(asked)).toEqual([field, reason]);
  });
});

describe('inside a transaction', () => {
  it('is a row of the outbox in the preset’s columns, refused before anything is written', async () => {
    const statements: [string, readonly unknown[]][] = [];
    const client = {
      query: (text: string, values: readonly unknown[]) => Promise.resolve(statements.push([text, values])),
    };
    const asked = await requestNotification(client, full, { table: 'shop.outbox_events' });
    expect(asked).toEqual({ notificationId: full.notificationId, notificationIds: [full.notificationId] });
    expect(statements[0]?.[0]).toContain('insert into "shop"."outbox_events" (id, event_type');
    expect(statements[0]?.[1]).toEqual([
      ...[full.notificationId, 'NotificationRequested', 'order', '4711'],
      expect.any(String),
      ...['tenant-1', null, 'c-1', null, '2027-01-15T08:00:00.000Z'],
    ]);
    expect(JSON.parse(String(statements[0]?.[1][4]))).toEqual({
      channel: 'email',
      to: 'ada@example.com',
      body: { subject: null, text: 'Hello, Ada', html: null },
      data: { name: 'Ada' },
      inApp: full.inApp,
      notAfter: full.notAfter,
      attributes: full.attributes,
    });
    await expect(requestNotification(client, { ...full, to: '' })).rejects.toThrow(RequestRefused);
    expect(statements).toHaveLength(1);
  });
});

describe('on Kafka', () => {
  it('is what the processor reads, in the partition of its key, with the cause of the work around it', async () => {
    const world = await aCodec();
    const { released } = readSchemaFamily('notification-requested');
    const registryUrl = await registryThatKnows(released.at(-1) ?? '', 1);
    const messages: KafkaMessage[] = [];
    const producer = {
      send: ({ messages: more }: { messages: KafkaMessage[] }) => Promise.resolve(messages.push(...more)),
    };
    const kafka = await openKafkaRequests({ producer, registryUrl, partitions: 12 });
    const cause = { correlationId: 'order-7', causationId: 'n-1' };
    const ids = await causedBy(cause, () => kafka.requestNotification({ ...hello, to: ['a@b.c', 'd@e.f'] }));
    expect(messages.map(({ key }) => key.toString())).toEqual(ids);
    for (const { key, value, headers, partition } of messages) {
      expect(partition).toBe(partitionFor(key, 12));
      const record = received({ topic: world.topics.requested, partition, key, value, headers });
      const answer = await decodeRequested({ codec: world.codec, hashRecipient: String }, record);
      expect(answer).toMatchObject({ kind: 'decoded', value: { request: { channel: 'email', ...cause } } });
      expect(headers['ce_correlationid']?.toString()).toBe('order-7');
    }
  });

  it('is refused where the registry does not know the schema', async () => {
    const registryUrl = await registryThatKnows('{}', 1);
    const producer = { send: () => Promise.resolve() };
    await expect(openKafkaRequests({ producer, registryUrl, partitions: 1 })).rejects.toMatchObject({
      code: 'SCHEMAS_NOT_REGISTERED',
    });
  });
});

describe('over HTTP', () => {
  async function aDoor(): Promise<Door> {
    const door = await openDoor();
    opened.push(door);
    return door;
  }

  it('is accepted under the id that was made here, as the topic then shows', async () => {
    const door = await aDoor();
    const http = httpRequests({ url: door.url, token: TOKENS.orders.token });
    const { notificationId } = full;
    const to = ['a@b.c', 'd@e.f'];
    const one = await http.requestNotification(full);
    const many = await http.requestNotification({ ...hello, notificationId, to, tenantId: 'tenant-1' });
    expect(one).toEqual({ kind: 'accepted', notificationIds: [notificationId] });
    expect(many).toEqual({
      kind: 'accepted',
      notificationIds: to.map((name) => uuidOfName(notificationId, name)),
    });
    const keys = door.records().map(({ key }) => Buffer.from(key ?? []).toString());
    expect(keys.sort()).toEqual(
      [notificationId, ...to.map((name) => uuidOfName(notificationId, name))].sort(),
    );
    const record = door.records().find(({ key }) => Buffer.from(key ?? []).toString() === notificationId);
    const answer = await decodeRequested(
      { codec: door.codec, hashRecipient: String },
      record ?? expect.fail(),
    );
    expect(answer).toMatchObject({ value: { request: newRequests(full).requests[0] } });
  });

  it('is refused for good by what the door says for good', async () => {
    const door = await aDoor();
    const stranger = httpRequests({ url: door.url, token: `pin_${randomUUID()}` });
    expect(await stranger.requestNotification(hello)).toMatchObject({
      kind: 'refused',
      status: 401,
      code: 'PIN_UNAUTHORIZED',
    });
    const orders = httpRequests({ url: door.url, token: TOKENS.orders.token });
    expect(await orders.requestNotification({ ...hello, tenantId: 'tenant-2' })).toMatchObject({
      status: 403,
    });
  });

  it('is to be tried again under the same id when nobody answers', async () => {
    const door = await aDoor();
    await door.close();
    opened.pop();
    const http = httpRequests({ url: door.url, token: null });
    const notificationId = randomUUID();
    expect(await http.requestNotification({ ...hello, notificationId })).toMatchObject({
      kind: 'try-again',
      notificationId,
      afterMs: 5_000,
    });
  });
});

/** A registry on loopback that knows one schema; it answers by Confluent's interface. */
async function registryThatKnows(schema: string, id: number): Promise<string> {
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const isKnown = (JSON.parse(body) as { schema: string }).schema === schema;
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isKnown ? { id } : { error_code: 40_403 }));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  opened.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
