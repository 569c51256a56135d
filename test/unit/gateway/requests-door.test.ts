import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { uuidOfName } from '../../../src/runtime/ids.ts';
import { decodeRequested } from '../../../src/streams/requested.ts';
import { type Door, type DoorOptions, openDoor, TOKENS } from './a-door.ts';

const good = { channel: 'email', recipient: 'ada@example.com', body: { text: 'Hello, Ada' } };
const twin = { ...good, notificationId: '0d4f8c1e-3b7a-4a51-9c55-123456789012' };
const forMany = (name: string) => ({
  channel: 'email',
  body: { text: 'x' },
  to: Array.from({ length: 600 }, (_, n) => `${name}${n}@example.com`),
});

let door: Door | null = null;
afterEach(async () => {
  await door?.close();
  door = null;
});

async function opened(options?: DoorOptions): Promise<Door> {
  door = await openDoor(options);
  return door;
}

async function requestsIn(world: Door) {
  const answers = await Promise.all(
    world.records().map((record) => decodeRequested({ codec: world.codec, hashRecipient: String }, record)),
  );
  return answers.map((answer) =>
    answer.kind === 'decoded' ? answer.value.request : expect.fail(answer.kind),
  );
}

const idsOf = (body: Readonly<Record<string, unknown>>) =>
  (body['notifications'] as { notificationId: string }[]).map(({ notificationId }) => notificationId);

describe('POST /v1/notifications', () => {
  it('answers 202 with the id once the log has the request, for the tenant of the token', async () => {
    const world = await opened();
    const { status, body, headers } = await world.post(good);
    const [id] = idsOf(body);
    expect([status, headers.get('location')]).toEqual([202, `/v1/notifications/${id}`]);
    expect(await requestsIn(world)).toMatchObject([
      { notificationId: id, tenantId: 'tenant-1', recipient: 'ada@example.com' },
    ]);
    const [record] = world.records();
    expect(Buffer.from(record?.key ?? []).toString()).toBe(id);
    expect(Buffer.from(record?.headers['ce_type'] ?? []).toString()).toBe('NotificationRequested');
  });

  it('takes the Idempotency-Key for the id, and the trace along', async () => {
    const world = await opened();
    const [id, traceparent] = [randomUUID(), `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`];
    for (let n = 0; n < 2; n += 1) {
      expect(idsOf((await world.post(good, { 'idempotency-key': id, traceparent })).body)).toEqual([id]);
    }
    const [first, second] = world.records();
    expect(second?.value).toEqual(first?.value);
    expect(Buffer.from(first?.headers['traceparent'] ?? []).toString()).toBe(traceparent);
  });

  it('makes one notification for each of many recipients', async () => {
    const world = await opened();
    const id = randomUUID();
    const { recipient: _, ...rest } = good;
    const { body } = await world.post({ ...rest, to: ['a@b.c', 'd@e.f'] }, { 'idempotency-key': id });
    expect(idsOf(body)).toEqual([uuidOfName(id, 'a@b.c'), uuidOfName(id, 'd@e.f')]);
    expect(new Set((await requestsIn(world)).map(({ parentId }) => parentId))).toEqual(new Set([id]));
  });

  it('takes a batch whole, with ids that follow from its key', async () => {
    const world = await opened();
    const [key, own] = [randomUUID(), randomUUID()];
    const batch = { notifications: [good, { ...good, notificationId: own }] };
    const first = await world.post(batch, { 'idempotency-key': key });
    const again = await world.post(batch, { 'idempotency-key': key });
    expect(first.body).toMatchObject({
      notifications: [
        { notificationId: uuidOfName(key, '0'), item: 0 },
        { notificationId: own, item: 1 },
      ],
    });
    expect(again.body).toEqual(first.body);
  });

  it('takes nothing of a batch with one bad item, and names the field of each', async () => {
    const world = await opened();
    const bad = [
      { ...good, channel: 'fax' },
      good,
      { ...good, template: { key: 'k' } },
      { ...good, body: { text: 7 } },
    ];
    const { status, body, headers } = await world.post({ notifications: bad });
    expect([status, headers.get('content-type')]).toEqual([422, 'application/problem+json; charset=utf-8']);
    expect(body).toMatchObject({
      code: 'PIN_INVALID_REQUEST',
      errorCount: 3,
      errors: [
        { pointer: '/notifications/0/channel', field: 'channel' },
        { pointer: '/notifications/2/template', field: 'template' },
        { pointer: '/notifications/3/body/text', field: 'body.text' },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('ada@example.com');
    expect(world.records()).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['an unknown field', { ...good, subject: 'x' }, '/subject'],
    ['no recipient', { channel: 'email', body: { text: 'x' } }, '/recipient'],
    ['two of the same id', { notifications: [twin, twin] }, '/notifications/1/notificationId'],
    ['no request at all', { notifications: [] }, '/notifications'],
    ['something beside the batch', { notifications: [good], tenant: 'x' }, ''],
    ['more than 1,000', { notifications: Array.from({ length: 1_001 }, () => good) }, '/notifications'],
    ['more than 1,000 recipients', { notifications: [forMany('a'), forMany('b')] }, ''],
    [
      'what is too large for the topic',
      { ...good, body: { text: 'ж'.repeat(520_000), html: 'ж'.repeat(60_000) } },
      '',
    ],
    ['no object', '"text"', ''],
  ])('refuses %s', async (_, input, pointer) => {
    const world = await opened();
    const { status, body } = await world.post(input);
    expect([status, body['errors']]).toMatchObject([422, [{ pointer }]]);
    expect(world.records()).toEqual([]);
  });

  it('refuses a key that is no uuid, or another one than the body names', async () => {
    const world = await opened();
    const wrong = await world.post(good, { 'idempotency-key': 'once' });
    const other = await world.post(
      { ...good, notificationId: randomUUID() },
      { 'idempotency-key': randomUUID() },
    );
    expect([wrong.status, other.status, world.records().length]).toEqual([422, 422, 0]);
    expect(wrong.body['errors']).toMatchObject([{ field: 'Idempotency-Key' }]);
    expect(other.body['errors']).toMatchObject([{ field: 'notificationId' }]);
  });

  it('knows who asks: no token, no other tenant, no role of another', async () => {
    const world = await opened();
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    expect(await world.post(good, { authorization: '' })).toMatchObject({
      status: 401,
      body: { code: 'PIN_UNAUTHORIZED' },
    });
    expect((await world.post(good, bearer(`${TOKENS.orders.token}x`))).status).toBe(401);
    expect(await world.post({ ...good, tenantId: 'tenant-2' })).toMatchObject({
      status: 403,
      body: { code: 'PIN_FORBIDDEN', errors: [{ field: 'tenantId' }] },
    });
    expect((await world.post({ ...good, tenantId: 'tenant-1' }, bearer(TOKENS.platform.token))).status).toBe(
      403,
    );
    expect((await world.post(good, bearer(TOKENS.reports.token))).status).toBe(403);
    expect(world.records()).toEqual([]);
    expect((await world.post(good, bearer(TOKENS.platform.token))).status).toBe(202);
    expect(await requestsIn(world)).toMatchObject([{ tenantId: null }]);
  });

  it('answers 413 and 415 as problems', async () => {
    const world = await opened();
    const large = await world.post({ ...good, body: { text: 'x'.repeat(9_000_000) } });
    const strange = await world.post('<a/>', { 'content-type': 'application/xml' });
    expect([large.status, strange.status]).toEqual([413, 415]);
    expect(strange.body).toMatchObject({ code: 'PIN_BAD_REQUEST', status: 415 });
  });
});

describe('a log that is slow or away', () => {
  const never = new Promise<never>(() => undefined);

  it('is answered with 503, Retry-After and the ids to ask again with', async () => {
    const world = await opened({ around: (producer) => ({ ...producer, send: () => never }) });
    const answer = world.post(good);
    await expect.poll(() => world.time.nextDueMs()).not.toBeNull();
    await world.time.advance(10_000);
    const { status, headers, body } = await answer;
    expect([status, headers.get('retry-after'), body['code']]).toEqual([503, '5', 'PIN_LOG_UNAVAILABLE']);
    expect(idsOf(body)).toHaveLength(1);
  });

  it('is given nothing of a call that does not fit whole', async () => {
    let release: () => void = () => undefined;
    const opening = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await opened({
      limits: { maxWaitingRecords: 3 },
      around: (producer) => ({ ...producer, send: (record) => opening.then(() => producer.send(record)) }),
    });
    const first = world.post({ notifications: [good, good] });
    await expect.poll(() => world.time.nextDueMs()).not.toBeNull();
    const second = await world.post({ notifications: [good, good] });
    expect([second.status, second.headers.get('retry-after'), second.body['code']]).toEqual([
      503,
      '1',
      'PIN_BACKLOG_FULL',
    ]);
    release();
    expect((await first).status).toBe(202);
    expect(world.records()).toHaveLength(2);
    expect((await world.post({ notifications: [good, good] })).status).toBe(202);
  });
});
