import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffMs } from '../../../src/domain/backoff.ts';
import type { Backoff } from '../../../src/domain/channel.ts';
import { runs } from '../../support/property-runs.ts';

const backoffs: fc.Arbitrary<Backoff> = fc.record({
  kind: fc.constantFrom('fixed', 'exponential'),
  baseMs: fc.oneof(fc.nat({ max: 900_000 }), fc.nat()),
  capMs: fc.oneof(fc.integer({ min: 1, max: 900_000 }), fc.integer({ min: 1, max: 86_400_000 })),
  jitter: fc.oneof(fc.constantFrom(0, 0.1, 1), fc.double({ min: 0, max: 1, noNaN: true })),
});
const counts = fc.oneof(
  fc.integer({ min: 1, max: 100 }),
  fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  fc.constantFrom(1_000, 1_024, 1_025, 2 ** 31, 2 ** 53),
);
const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('backoff, for any settings and any number of failures', () => {
  test('is a whole number between base and cap', () => {
    fc.assert(
      fc.property(backoffs, counts, fractions, (backoff, failures, fraction) => {
        const waitMs = backoffMs(backoff, failures, fraction);
        expect(Number.isInteger(waitMs)).toBe(true);
        expect(waitMs).toBeLessThanOrEqual(backoff.capMs);
        expect(waitMs).toBeGreaterThanOrEqual(Math.min(backoff.baseMs, backoff.capMs));
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('never shrinks with more failures at the same draw', () => {
    fc.assert(
      fc.property(backoffs, counts, counts, fractions, (backoff, one, other, fraction) => {
        const [fewer, more] = [Math.min(one, other), Math.max(one, other)];
        const [earlier, later] = [backoffMs(backoff, fewer, fraction), backoffMs(backoff, more, fraction)];
        // At the cap the spread is laid below it, so only the plain part may be compared there.
        if (fraction === 0 || later < backoff.capMs / (1 + backoff.jitter))
          expect(later).toBeGreaterThanOrEqual(earlier);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('jitter adds at most its share', () => {
    fc.assert(
      fc.property(backoffs, counts, fractions, (backoff, failures, fraction) => {
        const plainMs = backoffMs(backoff, failures, 0);
        const waitMs = backoffMs(backoff, failures, fraction);
        expect(waitMs).toBeGreaterThanOrEqual(plainMs);
        expect(waitMs).toBeLessThanOrEqual(Math.ceil(plainMs * (1 + backoff.jitter)));
      }),
      { numRuns: runs(1_000) },
    );
  });
});
