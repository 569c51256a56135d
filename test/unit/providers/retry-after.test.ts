import { expect, test } from 'vitest';
import { clampRetryAfter, MAX_RETRY_AFTER_MS, parseRetryAfter } from '../../../src/providers/retry-after.ts';

// 2027-01-15T08:00:00Z, a Friday
const NOW_MS = 1_800_000_000_000;

test.each<[string | null, number | null]>([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7_000],
  ['Fri, 15 Jan 2027 08:01:30 GMT', 90_000],
  ['Fri, 15 Jan 2027 07:00:00 GMT', 0],
  ['99999999', MAX_RETRY_AFTER_MS],
  ['Fri, 15 Jan 2037 08:00:00 GMT', MAX_RETRY_AFTER_MS],
  ['-5', null],
  ['1.5', null],
  ['soon', null],
  ['Someday', null],
  ['', null],
  [null, null],
])('Retry-After %j is a wait of %j ms', (text, expected) => {
  expect(parseRetryAfter(text, NOW_MS)).toBe(expected);
});

test('a wait in milliseconds is whole, not negative and at most a day', () => {
  expect([1.2, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', 1e12].map(clampRetryAfter)).toEqual([
    2,
    null,
    null,
    null,
    null,
    MAX_RETRY_AFTER_MS,
  ]);
});
