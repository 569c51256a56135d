// The tiers of CONVENTIONS, and a wake-up that goes through them as a task does: produced, read when due there, sent on.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffMs } from '../../../src/domain/backoff.ts';
import { defaultChannelConfig } from '../../../src/domain/channel.ts';
import {
  afterTier,
  longestRecordWaitMs,
  TIER_SLACK_MS,
  type Tier,
  tierFor,
} from '../../../src/domain/tiers.ts';
import { runs } from '../../support/property-runs.ts';

const SECONDS = { '1s': 1, '5s': 5, '30s': 30, '1m': 60, '2m': 120, '4m': 240, '8m': 480, '15m': 900 };
const TIERS: readonly Tier[] = Object.entries(SECONDS).map(([name, s]) => ({ name, delayMs: s * 1_000 }));

interface Journey {
  readonly hops: number;
  readonly firedAtMs: number;
}

/** `dueAtMs` was decided at 0; each hop is produced `lagMs` after that or after the hop before, and read when its tier's delay is over. */
function journey(dueAtMs: number, lagMs: number): Journey {
  let nowMs = lagMs;
  for (let hops = 1; hops <= 10; hops += 1) {
    nowMs += tierFor(TIERS, Math.max(0, dueAtMs - nowMs)).delayMs;
    const next = afterTier(dueAtMs - nowMs);
    if (next !== 'next-tier') return { hops, firedAtMs: next === 'due' ? nowMs : dueAtMs };
    nowMs += lagMs;
  }
  throw new RangeError(`a wait of ${dueAtMs} ms goes round in circles`);
}

const longestMs = longestRecordWaitMs(TIERS);

describe('any wait that a record may carry', () => {
  test('comes to its time in at most three hops and never early', () => {
    const waits = fc.oneof(fc.integer({ min: 0, max: longestMs }), fc.integer({ min: 0, max: 120_000 }));
    fc.assert(
      fc.property(waits, fc.nat({ max: 500 }), (waitMs, lagMs) => {
        const { hops, firedAtMs } = journey(waitMs, lagMs);
        expect(hops).toBeLessThanOrEqual(3);
        expect(firedAtMs).toBeGreaterThanOrEqual(waitMs);
        const shortestMs = TIERS[0]?.delayMs ?? 0;
        const lateMs = waitMs - lagMs < shortestMs ? shortestMs + lagMs : TIER_SLACK_MS;
        expect(firedAtMs).toBeLessThanOrEqual(waitMs + lateMs);
      }),
      { numRuns: runs(1_500) },
    );
  });

  test('is at most one tier and the heap', () => {
    expect(longestMs).toBe(960_000);
    expect(afterTier(longestMs - tierFor(TIERS, longestMs).delayMs)).toBe('heap');
  });
});

describe('every wait of the default policy', () => {
  const config = defaultChannelConfig('email', 'mail');

  test('is one hop, also when its record is produced a little after the decision', () => {
    const draws = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: config.maxAttempts - 1 }),
        draws,
        fc.nat({ max: TIER_SLACK_MS }),
        (failures, fraction, lagMs) => {
          expect(journey(backoffMs(config.backoff, failures, fraction), lagMs).hops).toBe(1);
          expect(journey(config.holdUntilMs, lagMs).hops).toBe(1);
        },
      ),
    );
  });
});
