import { describe, expect, test } from 'vitest';
import { parseSource } from '../../../src/relay/source.ts';
import { checkSource } from '../../../src/relay/source-checks.ts';
import type { ColumnFacts, SourceFacts } from '../../../src/relay/source-facts.ts';

const source = parseSource('billing') ?? expect.fail();
const NAMES = [
  ...['id', 'event_type', 'aggregate_type', 'aggregate_id', 'payload', 'company_id', 'org_unit_id'],
  ...[
    'correlation_id',
    'causation_id',
    'occurred_at',
    'published_at',
    'failed_at',
    'failure_reason',
    'version',
  ],
];
const OPEN_INDEX = `((published_at IS NULL) AND (failed_at IS NULL) AND (event_type = 'NotificationRequested'::text))`;

function column(name: string, over: Partial<ColumnFacts> = {}): readonly [string, ColumnFacts] {
  const canUpdate = ['published_at', 'failed_at', 'failure_reason'].includes(name);
  return [
    name,
    { type: name === 'id' ? 'uuid' : 'text', isNullable: true, canSelect: true, canUpdate, ...over },
  ];
}

function facts(over: Partial<SourceFacts> = {}): SourceFacts {
  return {
    role: 'pin_relay',
    canUseSchema: true,
    columns: new Map(NAMES.map((name) => column(name))),
    isFiltered: false,
    policies: [],
    indexes: [
      { firstColumn: 'id', isUnique: true, condition: null },
      { firstColumn: 'occurred_at', isUnique: false, condition: OPEN_INDEX },
    ],
    hasTrigger: false,
    ...over,
  };
}

const refusals = (over: Partial<SourceFacts>) => checkSource(source, facts(over)).refused;

test('reading everything and writing three columns is enough', () => {
  expect(checkSource(source, facts())).toEqual({ refused: [], warnings: [] });
});

test('a table that is not there, or has no id, type or payload, is refused', () => {
  expect(checkSource(source, null).refused).toEqual([expect.stringContaining('no such table')]);
  const columns = new Map(NAMES.filter((name) => name !== 'payload').map((name) => column(name)));
  expect(refusals({ columns })).toEqual([expect.stringContaining('needs the column payload')]);
});

test('an id that is no uuid is refused: it could not be a NotificationId', () => {
  const columns = new Map(NAMES.map((name) => column(name, name === 'id' ? { type: 'bigint' } : {})));
  expect(refusals({ columns })).toEqual([expect.stringContaining('must be uuid')]);
});

test('a missing right is named with its columns', () => {
  expect(refusals({ canUseSchema: false })).toEqual([expect.stringContaining('may not use schema billing')]);
  const unwritten = new Map(
    NAMES.map((name) => column(name, name === 'failed_at' ? { canUpdate: false } : {})),
  );
  expect(refusals({ columns: unwritten })).toEqual([expect.stringContaining('may not update failed_at')]);
  const unread = new Map(NAMES.map((name) => column(name, name === 'payload' ? { canSelect: false } : {})));
  expect(refusals({ columns: unread })).toEqual([expect.stringContaining('may not read payload')]);
});

describe('under row-level security', () => {
  const open = { isPermissive: true, isOpen: true } as const;
  test('a role that is filtered is refused: zero rows must not look like idleness', () => {
    expect(refusals({ isFiltered: true })).toEqual([expect.stringContaining('only a part of the rows')]);
    const own = { isPermissive: true, command: 'all', isOpen: false } as const;
    expect(refusals({ isFiltered: true, policies: [own] })).toHaveLength(1);
  });
  test('policies that let every row pass are enough, for reading and for writing', () => {
    expect(refusals({ isFiltered: true, policies: [{ ...open, command: 'all' }] })).toEqual([]);
    expect(refusals({ isFiltered: true, policies: [{ ...open, command: 'select' }] })).toHaveLength(1);
  });
  test('a restrictive policy takes back what an open one gave', () => {
    const restrictive = { isPermissive: false, command: 'select', isOpen: false } as const;
    expect(refusals({ isFiltered: true, policies: [{ ...open, command: 'all' }, restrictive] })).toHaveLength(
      1,
    );
  });
});

test('an index that is missing or of other rows is a warning, not a refusal', () => {
  const primary = { firstColumn: 'id', isUnique: true, condition: null };
  expect(checkSource(source, facts({ indexes: [primary] }))).toEqual({
    refused: [],
    warnings: [expect.stringContaining('relay-index.sql')],
  });
  const foreign = { firstColumn: 'occurred_at', isUnique: false, condition: `(event_type = 'Other'::text)` };
  expect(checkSource(source, facts({ indexes: [primary, foreign] })).warnings).toHaveLength(1);
});

test('a table that cannot be told its outcomes is relayed with a warning', () => {
  const columns = new Map(['id', 'event_type', 'payload'].map((name) => column(name)));
  const indexes = [
    { firstColumn: 'id', isUnique: true, condition: `(event_type = 'NotificationRequested'::text)` },
  ];
  expect(checkSource(source, facts({ columns, indexes })).refused).toEqual([]);
  expect(checkSource(source, facts({ columns, indexes })).warnings.join()).toContain(
    'no row is told its outcome',
  );
});
