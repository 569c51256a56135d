import { describe, expect, test } from 'vitest';
import type { LookupAnswer } from '../../../src/domain/call-outcome.ts';
import { canLookUp, canRepeat, settleLookup, settleUnknown } from '../../../src/domain/unknown.ts';
import {
  aClaimed,
  aDoubt,
  aNotification,
  anUncertain,
  aProvider,
  type FactsOver,
  LEASE_MS,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';

const lost = { attempt: 1, providerKey: 'mail', providerCode: 'reset', leaseEndMs: NOW_MS + LEASE_MS };
const unknown = (row = aClaimed(), over: FactsOver = {}) => settleUnknown(row, lost, someFacts(over));

describe('an attempt that nobody knows about', () => {
  test.each([
    ['key', 'retry', 30_000, true],
    ['replace', 'retry', 30_000, true],
    ['lookup', 'look-up', LEASE_MS + 5_000, false],
    ['none', 'held', 900_000, false],
  ] as const)('with `%s` goes on by %s after %i ms', (capability, resolution, waitMs, isNextAttempt) => {
    expect(unknown(aClaimed(), { providers: [{ capability }] })).toMatchObject({
      next: {
        status: 'Failed',
        claim: null,
        unknown: { attempt: 1, providerKey: 'mail', sinceMs: NOW_MS, resolution },
        lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'unknown', providerCode: 'reset' },
      },
      wake: { kind: 'after', waitMs },
      isNextAttempt,
      trail: `unknown n=1 next=${resolution} wait=${waitMs}`,
    });
  });

  test.each([
    [1, 30_000],
    [2, 60_000],
  ])('after attempt %i waits by backoff, %i ms', (attempts, waitMs) => {
    expect(unknown(aClaimed({ attempts })).wake).toMatchObject({ waitMs });
  });

  test('keeps the start of the earliest call in doubt', () => {
    const row = aClaimed({ attempts: 2, unknown: aDoubt({ sinceMs: NOW_MS - 7 }) });
    expect(unknown(row).next.unknown).toMatchObject({ sinceMs: NOW_MS - 7 });
  });

  test.each(['key', 'replace'] as const)(
    'with `%s` after calls that were given up: their doubt outlives whatever is told of this one',
    (capability) => {
      const given = aDoubt({ providerKey: 'old-mail', resolution: 'resend', sinceMs: NOW_MS - 7 });
      const row = aClaimed({ attempts: 2, unknown: given });
      const over = { providers: [{ capability }], config: { onUnknown: 'resend' } } as const;
      expect(unknown(row, over).next.unknown).toMatchObject({ resolution: 'resend', sinceMs: NOW_MS - 7 });
    },
  );

  test('goes to the policy when no attempt is left', () => {
    expect(unknown(aClaimed({ attempts: 5 })).next.unknown).toMatchObject({ resolution: 'held' });
  });

  test('is looked up even when no attempt is left', () => {
    const providers = [{ capability: 'lookup' }] as const;
    expect(unknown(aClaimed({ attempts: 5 }), { providers }).next.unknown).toMatchObject({
      resolution: 'look-up',
    });
  });

  test.each([
    ['key', 30_000 + LEASE_MS + 1, 'retry'],
    ['key', 30_000 + LEASE_MS, 'held'],
    ['lookup', LEASE_MS + 5_000 + 15_000 + 1, 'look-up'],
    ['lookup', LEASE_MS + 5_000 + 15_000, 'held'],
  ] as const)('`%s` with a window of %i ms: %s', (capability, windowMs, resolution) => {
    expect(unknown(aClaimed(), { providers: [{ capability, windowMs }] }).next.unknown).toMatchObject({
      resolution,
    });
  });

  test('goes to the policy when its provider is gone', () => {
    expect(unknown(aClaimed(), { providers: [] }).next.unknown).toMatchObject({ resolution: 'held' });
  });

  test('is judged by its own provider, not by the one in force', () => {
    const over = {
      config: { providerKey: 'other' },
      providers: [{ capability: 'none' }, { providerKey: 'other' }],
    } as const;
    expect(unknown(aClaimed(), over).next.unknown).toMatchObject({ providerKey: 'mail', resolution: 'held' });
  });
});

describe('the answer of a lookup', () => {
  const asked = aDoubt({ resolution: 'look-up' });
  const found: LookupAnswer = { kind: 'found', providerMessageId: 'm-1' };
  const absent: LookupAnswer = { kind: 'absent' };
  const unavailable: LookupAnswer = { kind: 'unavailable', providerCode: '500' };
  const row = anUncertain({ unknown: asked });

  test('found ends the row as Sent', () => {
    expect(settleLookup(row, asked, found, someFacts())).toMatchObject({
      next: { status: 'Sent', final: 'accepted', unknown: null, attempts: 1, providerMessageId: 'm-1' },
      trail: 'looked-up n=1 message=m-1',
    });
  });

  test('found counts though the row went on', () => {
    expect(settleLookup(aClaimed({ attempts: 2 }), asked, found, someFacts())).toMatchObject({
      next: { evidence: [{ messageId: 'm-1', attempt: 1 }], claim: { token: 'mine' } },
      wake: { kind: 'keep' },
    });
    const failed = aNotification({ status: 'Failed', final: 'unknown-outcome' });
    expect(settleLookup(failed, asked, found, someFacts())?.next.status).toBe('Sent');
  });

  test('found says nothing new on a row that has the message', () => {
    const evidence = [{ messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'accepted' }] as const;
    const sent = aNotification({ status: 'Sent', final: 'accepted', evidence });
    expect(settleLookup(sent, asked, found, someFacts())).toBeNull();
  });

  test('found with a message that bounced already is a failed attempt, and ends the doubt', () => {
    const evidence = [{ messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'failed-transient' }] as const;
    expect(settleLookup({ ...row, evidence }, asked, found, someFacts())).toMatchObject({
      next: { status: 'Failed', unknown: null },
      isNextAttempt: true,
    });
  });

  test('absent is a certain failure: the next attempt by backoff, no longer uncertain', () => {
    const said = anUncertain({
      unknown: asked,
      lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'unknown', providerCode: 'reset' },
    });
    expect(settleLookup(said, asked, absent, someFacts())).toMatchObject({
      next: {
        status: 'Failed',
        unknown: null,
        attempts: 1,
        lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: 'reset' },
      },
      wake: { kind: 'after', waitMs: 30_000 },
      isNextAttempt: true,
    });
  });

  test('absent at notAfter is no verdict on the call: the wait for one that counts may have been cut', () => {
    const late = anUncertain({ unknown: asked, attempts: 5, notAfterMs: NOW_MS });
    expect(settleLookup(late, asked, absent, someFacts())?.next).toMatchObject({
      final: 'expired',
      outcome: { error: { code: 'NTF_EXPIRED' } },
    });
  });

  test('absent after the last attempt exhausts the budget', () => {
    const last = anUncertain({ unknown: asked, attempts: 5 });
    expect(settleLookup(last, asked, absent, someFacts())?.next).toMatchObject({
      final: 'exhausted',
      outcome: { error: { errorClass: 'transient' } },
    });
  });

  test('absent says nothing of the calls that were given up before: they stay in doubt', () => {
    const older = anUncertain({ unknown: asked, attempts: 2, lastAttemptAtMs: NOW_MS - 1_000 });
    expect(settleLookup(older, asked, absent, someFacts())?.next).toMatchObject({
      final: null,
      unknown: { ...asked, resolution: 'resend' },
    });
    const over = { config: { onUnknown: 'resend' } } as const;
    const last = { ...older, attempts: 5 };
    expect(settleLookup(last, asked, absent, someFacts(over))?.next).toMatchObject({
      final: 'unknown-outcome',
      outcome: { isUncertain: true },
    });
  });

  test('unavailable asks again by backoff, in doubt as before', () => {
    expect(settleLookup(row, asked, unavailable, someFacts())).toMatchObject({
      next: { unknown: asked, attempts: 1 },
      wake: { kind: 'after', waitMs: 30_000 },
      isNextAttempt: false,
      trail: 'look-up-unavailable said=500 wait=30000',
    });
  });

  test.each([
    [900_000 - 30_000, 'look-up'],
    [900_000 - 30_000 + 1, 'held'],
  ] as const)('unavailable for %i ms: %s', (sinceMs, resolution) => {
    const old = aDoubt({ resolution: 'look-up', sinceMs: NOW_MS - sinceMs });
    const change = settleLookup(anUncertain({ unknown: old }), old, unavailable, someFacts());
    expect(change?.next.unknown).toMatchObject({ resolution });
  });

  test('unavailable waits longer after a later attempt, and at least as long as the longest backoff', () => {
    const second = anUncertain({ unknown: asked, attempts: 2 });
    expect(settleLookup(second, asked, unavailable, someFacts())?.wake).toMatchObject({ waitMs: 60_000 });
    const hasty = someFacts({ config: { holdUntilMs: 1 } });
    expect(settleLookup(row, asked, unavailable, hasty)?.next.unknown).toMatchObject({
      resolution: 'look-up',
    });
  });

  test('before notAfter counts as ever', () => {
    const early = anUncertain({ unknown: asked, notAfterMs: NOW_MS + 3_600_000 });
    expect(settleLookup(early, asked, absent, someFacts())?.next).toMatchObject({
      final: null,
      unknown: null,
    });
    expect(settleLookup(early, asked, unavailable, someFacts())?.next).toMatchObject({ unknown: asked });
  });

  test('unavailable after notAfter goes to the policy instead of asking at once for ever', () => {
    const late = anUncertain({ unknown: asked, notAfterMs: NOW_MS });
    expect(settleLookup(late, asked, unavailable, someFacts())?.next.unknown).toMatchObject({
      resolution: 'held',
    });
  });

  test.each([
    ['it is claimed', aClaimed({ unknown: asked })],
    ['it is final', aNotification({ final: 'accepted' })],
    ['another attempt is in doubt', anUncertain({ unknown: { ...asked, attempt: 2 } })],
    ['another doubt has the same number', anUncertain({ unknown: { ...asked, sinceMs: NOW_MS } })],
    ['it is sent again by policy', anUncertain({ unknown: { ...asked, resolution: 'resend' } })],
  ])('absent and unavailable say nothing about a row when %s', (_, moved) => {
    expect(settleLookup(moved, asked, absent, someFacts())).toBeNull();
    expect(settleLookup(moved, asked, unavailable, someFacts())).toBeNull();
  });
});

describe('what a provider can be relied on for', () => {
  const facts = someFacts();

  test.each([
    ['key', true, false],
    ['replace', true, false],
    ['lookup', false, true],
    ['none', false, false],
  ] as const)('`%s`: the same call again %s, a question %s', (capability, repeat, ask) => {
    expect(canRepeat(aProvider({ capability }), NOW_MS - 9e9, facts)).toBe(repeat);
    expect(canLookUp(aProvider({ capability }), NOW_MS - 9e9, facts)).toBe(ask);
  });

  test('nothing of a provider that is gone', () => {
    expect(canRepeat(undefined, NOW_MS, facts)).toBe(false);
    expect(canLookUp(undefined, NOW_MS, facts)).toBe(false);
  });
});
