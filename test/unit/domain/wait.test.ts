import { describe, expect, test } from 'vitest';
import { boundedWait, hold, waitFor, waitForNotBefore } from '../../../src/domain/wait.ts';
import {
  aClaim,
  aNotification,
  LONGEST_RECORD_WAIT_MS,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';

const facts = someFacts();
const until = (leftMs: number) => aNotification({ notAfterMs: NOW_MS + leftMs });

describe('boundedWait', () => {
  test('without notAfter it is the wait', () => {
    expect(boundedWait(aNotification(), 5_000, facts)).toEqual({
      wake: { kind: 'after', waitMs: 5_000, inLog: true },
      endsAtNotAfter: false,
    });
  });

  test.each([
    [5_001, { kind: 'after', waitMs: 5_000, inLog: true }, false],
    [5_000, { kind: 'at', atMs: NOW_MS + 5_000, inLog: true }, true],
    [1, { kind: 'at', atMs: NOW_MS + 1, inLog: true }, true],
    [-1, { kind: 'at', atMs: NOW_MS - 1, inLog: true }, true],
  ])('with %i ms left until notAfter a wait of five seconds is cut to it', (leftMs, wake, endsAtNotAfter) => {
    expect(boundedWait(until(leftMs), 5_000, facts)).toEqual({ wake, endsAtNotAfter });
  });

  test.each([
    [LONGEST_RECORD_WAIT_MS, true],
    [LONGEST_RECORD_WAIT_MS + 1, false],
  ])('a wait of %i ms is carried by a record: %s', (waitMs, inLog) => {
    expect(boundedWait(aNotification(), waitMs, facts).wake).toMatchObject({ inLog });
    expect(boundedWait(until(waitMs), waitMs + 1, facts).wake).toMatchObject({ inLog });
  });
});

describe('waitFor', () => {
  test('takes a row off hold and uses no attempt', () => {
    const row = aNotification({ hold: 'channel-disabled', attempts: 3 });
    expect(waitFor(row, 1_000, 'gate-closed', facts)).toEqual({
      next: { ...row, hold: null },
      wake: { kind: 'after', waitMs: 1_000, inLog: true },
      isNextAttempt: false,
      trail: 'gate-closed',
    });
  });
});

describe('waitForNotBefore', () => {
  test('any horizon: a far one rests in the table', () => {
    const farMs = NOW_MS + 90 * 86_400_000;
    expect(waitForNotBefore(aNotification(), farMs, facts).wake).toEqual({
      kind: 'at',
      atMs: farMs,
      inLog: false,
    });
    expect(waitForNotBefore(aNotification(), NOW_MS + 1, facts).wake).toMatchObject({ inLog: true });
    const longest = waitForNotBefore(aNotification(), NOW_MS + LONGEST_RECORD_WAIT_MS, facts);
    expect(longest).toMatchObject({ wake: { inLog: true }, isNextAttempt: false, trail: 'not-before' });
  });

  test('a notBefore beyond notAfter ends at notAfter', () => {
    expect(waitForNotBefore(until(10), NOW_MS + 20, facts).wake).toEqual({
      kind: 'at',
      atMs: NOW_MS + 10,
      inLog: true,
    });
  });
});

describe('hold', () => {
  test('nothing is due until the cause ends', () => {
    const row = aNotification({ claim: aClaim() });
    expect(hold(row, 'channel-stub', facts)).toMatchObject({
      next: { hold: 'channel-stub', claim: null },
      wake: { kind: 'none' },
      trail: 'held reason=channel-stub',
    });
  });

  test.each([
    [LONGEST_RECORD_WAIT_MS, true],
    [LONGEST_RECORD_WAIT_MS + 1, false],
  ])('only notAfter keeps a time (%i ms ahead, in the log: %s)', (leftMs, inLog) => {
    expect(hold(until(leftMs), 'channel-disabled', facts).wake).toEqual({
      kind: 'at',
      atMs: NOW_MS + leftMs,
      inLog,
    });
  });
});
