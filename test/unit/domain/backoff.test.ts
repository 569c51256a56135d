import { describe, expect, test } from 'vitest';
import { backoffMs } from '../../../src/domain/backoff.ts';
import { type Backoff, DEFAULT_BACKOFF } from '../../../src/domain/channel.ts';

const plain: Backoff = { kind: 'exponential', baseMs: 30_000, capMs: 900_000, jitter: 0 };

describe('backoffMs', () => {
  test('doubles from the base', () => {
    expect([1, 2, 3, 4, 5].map((failures) => backoffMs(plain, failures, 0))).toEqual([
      30_000, 60_000, 120_000, 240_000, 480_000,
    ]);
  });

  test('stays at the cap', () => {
    expect(backoffMs(plain, 6, 0)).toBe(900_000);
    expect(backoffMs(plain, Number.MAX_SAFE_INTEGER, 0)).toBe(900_000);
  });

  test('a fixed wait never grows', () => {
    expect(backoffMs({ ...plain, kind: 'fixed' }, 9, 0)).toBe(30_000);
  });

  test('jitter is only added, and rounded up to a whole millisecond', () => {
    expect(backoffMs(DEFAULT_BACKOFF, 1, 0)).toBe(30_000);
    expect(backoffMs(DEFAULT_BACKOFF, 1, 0.5)).toBe(31_500);
    expect(backoffMs({ ...DEFAULT_BACKOFF, baseMs: 333 }, 1, 0.1)).toBe(337);
  });

  test('waits that reached the cap are spread below it', () => {
    expect(backoffMs(DEFAULT_BACKOFF, 9, 0)).toBe(818_182);
    expect(backoffMs(DEFAULT_BACKOFF, 9, 0.999_999_999)).toBe(900_000);
  });

  test('a base near the cap is not cut below itself', () => {
    expect(backoffMs({ ...DEFAULT_BACKOFF, baseMs: 890_000 }, 1, 0)).toBe(890_000);
    expect(backoffMs({ ...DEFAULT_BACKOFF, baseMs: 900_000 }, 1, 0.7)).toBe(900_000);
  });

  test('a cap below the base wins', () => {
    expect(backoffMs({ ...plain, capMs: 10_000 }, 1, 0)).toBe(10_000);
  });

  test('a base of nothing is no wait, after any number of failures', () => {
    expect(backoffMs({ ...plain, baseMs: 0 }, 1_000_000, 0.5)).toBe(0);
  });

  test('a count below one is taken as one', () => {
    expect(backoffMs(plain, 0, 0)).toBe(30_000);
  });
});
