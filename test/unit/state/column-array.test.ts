import { describe, expect, test } from 'vitest';
import { encodeArray, UnstorableValue } from '../../../src/state/column-array.ts';

describe('an array for Postgres', () => {
  test('is laid out as the binary format wants it', () => {
    const encoded = encodeArray('int4', [7, null, -1]).toString('hex');
    const header = ['00000001', '00000001', '00000017', '00000003', '00000001'];
    expect(encoded).toBe([...header, '00000004', '00000007', 'ffffffff', '00000004', 'ffffffff'].join(''));
  });

  test('without elements has no dimension', () => {
    expect(encodeArray('text', []).toString('hex')).toBe('000000000000000100000019');
  });

  test('counts time in microseconds from 2000, before and after', () => {
    const times = encodeArray('timestamptz', [
      Date.UTC(2000, 0, 1) + 1,
      Date.UTC(1999, 11, 31, 23, 59, 59, 999),
    ]);
    expect(times.readBigInt64BE(24)).toBe(1_000n);
    expect(times.readBigInt64BE(36)).toBe(-1_000n);
  });

  test.each([
    ['uuid', 'mine'],
    ['uuid', '00000000-0000-4000-8000-00000000000g'],
    ['uuid', '0000000000004000800000000000000-00000'],
    ['int4', 1.5],
    ['int4', 2 ** 31],
    ['timestamptz', Number.NaN],
    ['timestamptz', Number.POSITIVE_INFINITY],
  ] as const)('refuses what a %s cannot hold: %s', (type, cell) => {
    expect(() => encodeArray(type, [cell])).toThrow(UnstorableValue);
  });
});
