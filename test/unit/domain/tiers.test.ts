import { describe, expect, test } from 'vitest';
import { afterTier, longestRecordWaitMs, MAX_HEAP_WAIT_MS, tierFor } from '../../../src/domain/tiers.ts';

const tiers = [
  { name: '1s', delayMs: 1_000 },
  { name: '30s', delayMs: 30_000 },
  { name: '15m', delayMs: 900_000 },
];

describe('tierFor', () => {
  test.each([
    [1_000, '1s'],
    [29_499, '1s'],
    [29_500, '30s'],
    [899_499, '30s'],
    [899_500, '15m'],
    [10_000_000, '15m'],
  ])('a wait of %i ms enters the largest tier that is not longer but for the slack: %s', (waitMs, name) => {
    expect(tierFor(tiers, waitMs).name).toBe(name);
  });

  test('a wait shorter than every tier takes the first', () => {
    expect(tierFor(tiers, 0).name).toBe('1s');
  });

  test('without a tier there is no answer', () => {
    expect(() => tierFor([], 1)).toThrow(RangeError);
  });
});

describe('afterTier', () => {
  test.each([
    [-1, 'due'],
    [0, 'due'],
    [1, 'heap'],
    [MAX_HEAP_WAIT_MS, 'heap'],
    [MAX_HEAP_WAIT_MS + 1, 'next-tier'],
  ] as const)('%i ms before its time a wake-up is %s', (remainingMs, answer) => {
    expect(afterTier(remainingMs)).toBe(answer);
  });
});

describe('longestRecordWaitMs', () => {
  test('is the largest tier and what the heap may hold', () => {
    expect(longestRecordWaitMs(tiers)).toBe(960_000);
    expect(longestRecordWaitMs([])).toBe(60_000);
  });
});
