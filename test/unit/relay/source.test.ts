import { expect, test } from 'vitest';
import { announcedIds } from '../../../src/relay/announcements.ts';
import { columnsOf } from '../../../src/relay/preset.ts';
import { parseSource } from '../../../src/relay/source.ts';

const shared = { database: null };

test.each([
  [
    'billing',
    {
      ...shared,
      key: 'billing.outbox_events',
      schema: 'billing',
      table: 'outbox_events',
      preset: 'backbone',
    },
  ],
  ['crm:debezium', { ...shared, key: 'crm.outbox', schema: 'crm', table: 'outbox', preset: 'debezium' }],
  [
    'crm.events@eu',
    { database: 'eu', key: 'eu/crm.events', schema: 'crm', table: 'events', preset: 'backbone' },
  ],
  [' a.b@c:debezium ', { database: 'c', key: 'c/a.b', schema: 'a', table: 'b', preset: 'debezium' }],
])('%s names a table', (text, source) => {
  expect(parseSource(text)).toEqual(source);
});

test.each(['', 'a.b.c', 'a:other', 'a@', '1a', 'a;drop', 'a@B'])('%j names no table', (text) => {
  expect(parseSource(text)).toBeNull();
});

test('a preset takes the columns that exist and leaves the others null', () => {
  const columns = columnsOf(
    'debezium',
    new Set(['id', 'type', 'payload', 'aggregateid', 'published_at', 'event_type']),
  );
  expect(columns).toMatchObject({ type: 'type', aggregateId: 'aggregateid', publishedAt: 'published_at' });
  expect(columns).toMatchObject({ aggregateType: null, occurredAt: null, failedAt: null, tenantId: null });
});

test('an announcement names rows of its own table only; many rows are announced without their ids', () => {
  const source = parseSource('billing') ?? expect.fail();
  const [one, two] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  expect(announcedIds(source, `billing.outbox_events ${one},${two}`)).toEqual([one, two]);
  expect(announcedIds(source, 'billing.outbox_events ')).toEqual([]);
  expect(announcedIds(source, `crm.outbox_events ${one}`)).toBeNull();
  expect(announcedIds(source, `billing.outbox_events ${one},'; drop`)).toEqual([one]);
});
