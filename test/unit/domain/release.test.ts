// A claim that certainly sent nothing is given back.
import { describe, expect, test } from 'vitest';
import { releaseClaim } from '../../../src/domain/release.ts';
import { aClaim, aClaimed, aDoubt, NOW_MS, someFacts } from '../../support/a-notification.ts';

const released = (over: Parameters<typeof aClaimed>[0] = {}, claim = aClaim({ attempt: 3 })) =>
  releaseClaim(aClaimed({ claim, ...over }), claim, someFacts());

describe('releaseClaim', () => {
  test('leaves the row as before the claim, due at once for the next owner', () => {
    const change = released({ status: 'Failed' });
    expect(change).toMatchObject({
      next: { status: 'Failed', attempts: 2, claim: null, unknown: null },
      wake: { kind: 'after', waitMs: 0, inLog: true },
      isNextAttempt: false,
      trail: 'released n=3',
    });
  });

  test.each(['retry', 'resend'] as const)('keeps the doubt as before the claim (%s)', (resolution) => {
    expect(released({ unknown: aDoubt({ resolution }) }).next).toMatchObject({
      attempts: 2,
      unknown: aDoubt({ resolution }),
    });
  });

  test('of a takeover leaves its attempt counted and in doubt, from the first call on', () => {
    const doubt = aDoubt({ sinceMs: NOW_MS - 90_000 });
    expect(released({ unknown: doubt }, aClaim({ takeovers: 1 }))).toMatchObject({
      next: {
        attempts: 1,
        claim: null,
        status: 'Failed',
        unknown: { attempt: 1, sinceMs: NOW_MS - 90_000, resolution: 'retry' },
      },
      wake: { kind: 'after', waitMs: 30_000 },
    });
  });

  test('after notAfter it waits no further than that', () => {
    expect(released({ notAfterMs: NOW_MS - 1 }).wake).toEqual({ kind: 'at', atMs: NOW_MS - 1, inLog: true });
  });

  test('ends as Sent when an acceptance was recorded beside the claim', () => {
    const evidence = [{ messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'accepted' }] as const;
    expect(released({ evidence }).next).toMatchObject({ status: 'Sent', claim: null, attempts: 2 });
  });
});
