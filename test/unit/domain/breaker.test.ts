import { describe, expect, test } from 'vitest';
import {
  type BreakerSettings,
  type CallWindow,
  countCall,
  isFailing,
  isProviderFailure,
  NO_CALLS,
} from '../../../src/domain/breaker.ts';
import {
  ACCEPTED,
  LOST,
  MISCONFIGURED,
  NOT_IMPLEMENTED,
  REFUSED,
  TRANSIENT,
} from '../../support/a-notification.ts';

const SETTINGS: BreakerSettings = { windowMs: 30_000, minCalls: 10, failureShare: 0.8 };

/** `calls` of which the first `failures` failed, one every `everyMs`. */
function counted(calls: number, failures: number, everyMs = 10): { window: CallWindow; atMs: number } {
  let window = NO_CALLS;
  let atMs = 0;
  for (let n = 0; n < calls; n += 1) {
    atMs += everyMs;
    window = countCall(window, n < failures, atMs, SETTINGS);
  }
  return { window, atMs };
}

describe('a provider fails', () => {
  test('from the share on, not before enough calls', () => {
    expect(isFailing(counted(9, 9).window, SETTINGS)).toBe(false);
    expect(isFailing(counted(10, 10).window, SETTINGS)).toBe(true);
    expect(isFailing(counted(10, 8).window, SETTINGS)).toBe(true);
    expect(isFailing(counted(10, 7).window, SETTINGS)).toBe(false);
  });

  test('not when the failures are older than the window', () => {
    const { window, atMs } = counted(10, 10);
    const later = countCall(window, true, atMs + SETTINGS.windowMs + 1, SETTINGS);
    expect(isFailing(later, SETTINGS)).toBe(false);
  });

  test('not at the pace of a few calls a minute, however many fail', () => {
    expect(isFailing(counted(1_000, 1_000, 6_000).window, SETTINGS)).toBe(false);
  });
});

test('the window stays small, however many calls there are', () => {
  expect(counted(50_000, 25_000).window.length).toBeLessThanOrEqual(11);
});

test('every call within the window counts, wherever the slices are cut', () => {
  const { window } = counted(29, 29, 1_000);
  expect(window.reduce((sum, { calls }) => sum + calls, 0)).toBe(29);
});

test.each([
  [TRANSIENT, true],
  [LOST, true],
  [{ kind: 'transient', providerCode: 'E77', isUnclassified: true } as const, false],
  [{ kind: 'rate-limited', retryAfterMs: null, scope: 'message', providerCode: '429' } as const, false],
  [ACCEPTED, false],
  [REFUSED, false],
  [MISCONFIGURED, false],
  [NOT_IMPLEMENTED, false],
])('an answer %j is a failure of the provider: %s', (outcome, isFailure) => {
  expect(isProviderFailure(outcome)).toBe(isFailure);
});
