import { expect, test } from 'vitest';
import { requestsOfRow } from '../../../src/relay/requests-of-row.ts';
import { uuidOfName } from '../../../src/runtime/ids.ts';
import { payloadHash } from '../../../src/streams/payload-hash.ts';
import { anOutboxRow, aPayload, ROW_ID } from './an-outbox-row.ts';

const SEEN_AT_MS = 1_764_000_123_456;

function requestsOf(row: Parameters<typeof requestsOfRow>[0]) {
  const answer = requestsOfRow(row, SEEN_AT_MS);
  if (answer.kind === 'dead') throw new TypeError(answer.reason);
  return answer.requests;
}

test('a row with one recipient keeps its id and carries everything that it says', () => {
  const payload = aPayload({
    template: { key: 'welcome', version: 3 },
    body: null,
    data: { name: 'Ada', seats: 2, address: { city: 'London' }, none: null },
    trigger: 'order-placed',
    notAfter: '2026-01-01T00:00:00Z',
    priority: 'high',
    attributes: { shop: 'web' },
  });
  expect(requestsOf(anOutboxRow({ payload }))).toEqual([
    {
      notificationId: ROW_ID,
      tenantId: 'acme',
      channel: 'email',
      recipient: 'ada@example.com',
      template: { key: 'welcome', version: '3', locale: null },
      body: null,
      data: { name: 'Ada', seats: '2', address: '{"city":"London"}' },
      inApp: null,
      notBeforeMs: null,
      notAfterMs: Date.UTC(2026, 0, 1),
      priority: 'high',
      parentId: null,
      aggregateType: 'Order',
      aggregateId: '4711',
      orgUnitId: 'north',
      trigger: 'order-placed',
      correlationId: ROW_ID,
      causationId: 'cause-1',
      requestedAtMs: 1_764_000_000_000,
      attributes: { shop: 'web' },
    },
  ]);
});

test('several recipients become one notification each, with ids from the row and the recipient, and the row as their parent', () => {
  const to = ['ada@example.com', 'bob@example.com', 'ada@example.com'];
  const requests = requestsOf(anOutboxRow({ payload: aPayload({ to }) }));
  expect(requests.map(({ recipient }) => recipient)).toEqual(['ada@example.com', 'bob@example.com']);
  expect(requests.map(({ notificationId }) => notificationId)).toEqual([
    uuidOfName(ROW_ID, 'ada@example.com'),
    uuidOfName(ROW_ID, 'bob@example.com'),
  ]);
  expect(requests.map(({ parentId }) => parentId)).toEqual([ROW_ID, ROW_ID]);
});

test('a list of one is one recipient', () => {
  const [request] = requestsOf(anOutboxRow({ payload: aPayload({ to: ['ada@example.com'] }) }));
  expect(request).toMatchObject({ notificationId: ROW_ID, parentId: null, recipient: 'ada@example.com' });
});

test('a row that is relayed again asks for the same, whenever that is', () => {
  const row = anOutboxRow({ payload: aPayload({ to: ['ada@example.com', 'bob@example.com'] }) });
  const [first, again] = [requestsOfRow(row, 1_764_000_000_001), requestsOfRow(row, 1_764_999_999_999)];
  expect(again).toEqual(first);
  expect(requestsOf(row).map(payloadHash)).toEqual(requestsOf(row).map(payloadHash));
});

test('without a time of its own a row is as old as its uuid v7, or as when it was first seen', () => {
  const [timed] = requestsOf(anOutboxRow({ id: '019b7a3c-5c00-7000-8000-000000000000', occurredAtMs: null }));
  expect(timed?.requestedAtMs).toBe(0x019b7a3c5c00);
  const [untimed] = requestsOf(anOutboxRow({ occurredAtMs: null }));
  expect(untimed?.requestedAtMs).toBe(SEEN_AT_MS);
});

test('null columns stay null: the platform itself, and no aggregate', () => {
  const nothing = {
    aggregateType: null,
    aggregateId: null,
    tenantId: null,
    orgUnitId: null,
    causationId: null,
  };
  expect(requestsOf(anOutboxRow(nothing))[0]).toMatchObject(nothing);
});

test.each([
  ['payload is not JSON', '{"channel":'],
  ['payload is not an object', '[1]'],
  ['payload is not an object', 'null'],
  ['channel is missing', aPayload({ channel: null })],
  ['unknown-channel: channel is not one of ours', aPayload({ channel: 'fax' })],
  ['to is missing', aPayload({ to: null })],
  ['invalid-field: to names nobody', aPayload({ to: [] })],
  ['to is not a text', aPayload({ to: [{ email: 'ada@example.com' }] })],
  ['recipient-list: recipient holds several addresses', aPayload({ to: 'ada@example.com, bob@example.com' })],
  ['invalid-field: template and body: exactly one of them must be set', aPayload({ template: 'welcome' })],
  ['body.text is not a text', aPayload({ body: { text: ['Hello'] } })],
  ['data is not an object', aPayload({ data: ['Ada'] })],
  ['notAfter is neither an ISO 8601 time nor epoch milliseconds', aPayload({ notAfter: 'soon' })],
  ['inApp.title is missing', aPayload({ inApp: { userId: 'u1', body: 'Hello' } })],
])('what can never be a request is dead at once, with a sentence: %s', (reason, payload) => {
  expect(requestsOfRow(anOutboxRow({ payload }), SEEN_AT_MS)).toEqual({ kind: 'dead', reason });
});

test('an oversized payload is dead, and so is a copy for the inbox of several', () => {
  expect(requestsOfRow(anOutboxRow({ payload: null }), SEEN_AT_MS)).toMatchObject({ kind: 'dead' });
  const payload = aPayload({
    to: ['a@example.com', 'b@example.com'],
    inApp: { userId: 'u', title: 't', body: 'b' },
  });
  const answer = requestsOfRow(anOutboxRow({ payload }), SEEN_AT_MS);
  expect(answer).toEqual({ kind: 'dead', reason: expect.stringContaining('inApp') as string });
});

test('a reason never shows a value of the row', () => {
  const payload = aPayload({ channel: 'secret-channel', to: ['secret@example.com', 7] });
  expect(JSON.stringify(requestsOfRow(anOutboxRow({ payload }), SEEN_AT_MS))).not.toContain('secret');
});
