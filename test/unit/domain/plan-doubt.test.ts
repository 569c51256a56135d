// A row that does not know whether its last call was accepted, when its time has come.
import { describe, expect, test } from 'vitest';
import type { Notification, UnknownAttempt } from '../../../src/domain/notification.ts';
import { planWakeUp } from '../../../src/domain/plan.ts';
import {
  aDoubt,
  anUncertain,
  type FactsOver,
  LEASE_MS,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';

const inDoubt = (resolution: UnknownAttempt['resolution'], over: Partial<Notification> = {}) =>
  anUncertain({ unknown: aDoubt({ resolution }), ...over });
const woken = (row: Notification, over: FactsOver = {}) => planWakeUp(row, row.wakeSeq, someFacts(over));
const transient = { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: null } as const;
const two = [{}, { providerKey: 'other' }];

describe('a doubt under a safe key', () => {
  test('is called again as the next attempt, by the provider of the doubt, and stays marked', () => {
    const over = { config: { providerKey: 'other' }, providers: two };
    expect(woken(inDoubt('retry'), over)).toMatchObject({
      kind: 'send',
      providerKey: 'mail',
      isPossibleDuplicate: false,
      claim: { next: { attempts: 2, unknown: aDoubt({ resolution: 'retry' }) } },
    });
  });

  test('keeps its provider also after a certain failure of a repeat', () => {
    const row = inDoubt('retry', { attempts: 2, lastError: transient });
    expect(woken(row, { config: { providerKey: 'other' }, providers: two })).toMatchObject({
      providerKey: 'mail',
    });
  });

  test.each([
    [60_000 + LEASE_MS + 1, 'send'],
    [60_000 + LEASE_MS, 'change'],
  ])('a key good for %i ms must outlast the lease of the repeat: %s', (windowMs, kind) => {
    expect(woken(inDoubt('retry'), { providers: [{ windowMs }] }).kind).toBe(kind);
  });

  test.each([
    ['the window passed', [{ windowMs: 1 }]],
    ['the provider is gone', []],
    ['the provider no longer has a key', [{ capability: 'none' }]],
    ['the provider no longer has a key but a lookup', [{ capability: 'lookup' }]],
  ] as const)('ends by the policy when %s', (_, providers) => {
    expect(woken(inDoubt('retry'), { providers })).toMatchObject({
      kind: 'change',
      change: { next: { unknown: { resolution: 'held' } } },
    });
  });

  test('is held with its channel and expires at notAfter', () => {
    expect(woken(inDoubt('retry'), { config: { isEnabled: false } })).toMatchObject({
      change: { next: { hold: 'channel-disabled', unknown: { resolution: 'retry' } } },
    });
    expect(woken(inDoubt('retry', { notAfterMs: NOW_MS }))).toMatchObject({
      change: { next: { final: 'expired', unknown: null } },
    });
  });
});

describe('a doubt that can be looked up', () => {
  const providers = [{ capability: 'lookup' }] as const;

  test('asks first', () => {
    expect(woken(inDoubt('look-up'), { providers })).toEqual({
      kind: 'look-up',
      providerKey: 'mail',
      unknown: aDoubt({ resolution: 'look-up' }),
    });
  });

  test('waits at a closed gate', () => {
    const gate = { kind: 'closed', waitMs: 9 } as const;
    expect(woken(inDoubt('look-up'), { providers, gate })).toMatchObject({
      change: {
        next: { unknown: { resolution: 'look-up' } },
        trail: 'gate-closed provider=mail why=operator wait=9',
      },
    });
  });

  test('asks once more at notAfter, gate or not', () => {
    const gate = { kind: 'closed', waitMs: 9 } as const;
    expect(woken(inDoubt('look-up', { notAfterMs: NOW_MS }), { providers, gate }).kind).toBe('look-up');
  });

  test.each([
    ['its window passed', [{ capability: 'lookup', windowMs: 60_000 + 15_000 }]],
    ['the provider is gone', []],
    ['the provider no longer answers lookups', [{ capability: 'key' }]],
  ] as const)('ends by the policy when %s', (_, gone) => {
    expect(woken(inDoubt('look-up'), { providers: gone })).toMatchObject({
      change: { next: { unknown: { resolution: 'held' } } },
    });
  });

  test('is asked to the end of its window', () => {
    const last = [{ capability: 'lookup', windowMs: 60_000 + 15_000 + 1 }] as const;
    expect(woken(inDoubt('look-up'), { providers: last }).kind).toBe('look-up');
  });
});

describe('a doubt that waits for a webhook', () => {
  test('ends as terminal Failed, and the code says that it may have arrived', () => {
    expect(woken(inDoubt('held'))).toMatchObject({
      change: {
        next: {
          status: 'Failed',
          final: 'unknown-outcome',
          unknown: null,
          outcome: {
            reason: 'unknown-outcome',
            error: { code: 'NTF_OUTCOME_UNKNOWN', errorClass: 'unknown' },
          },
        },
        trail: 'unknown-outcome n=1',
      },
    });
  });

  test('expires at notAfter', () => {
    expect(woken(inDoubt('held', { notAfterMs: NOW_MS }))).toMatchObject({
      change: { next: { final: 'expired' } },
    });
  });

  test('ends though its channel is off: nothing is sent', () => {
    expect(woken(inDoubt('held'), { config: { isEnabled: false } })).toMatchObject({
      change: { next: { final: 'unknown-outcome' } },
    });
  });
});

describe('a doubt that is sent again by policy', () => {
  const resend = { config: { onUnknown: 'resend', providerKey: 'other' }, providers: two } as const;

  test('is a possible duplicate, and the claim keeps the doubt for a release', () => {
    expect(woken(inDoubt('resend'), resend)).toMatchObject({
      kind: 'send',
      providerKey: 'mail',
      isPossibleDuplicate: true,
      claim: {
        next: { attempts: 2, unknown: aDoubt({ resolution: 'resend' }) },
        trail: 'claimed n=2 provider=mail resend=1',
      },
    });
  });

  test('a changed provider applies after a resend that certainly failed', () => {
    const row = inDoubt('resend', { attempts: 2, lastError: transient });
    expect(woken(row, resend)).toMatchObject({ providerKey: 'other', isPossibleDuplicate: true });
  });

  test('is no longer sent when the policy changed', () => {
    expect(woken(inDoubt('resend'), { config: { onUnknown: 'hold' } })).toMatchObject({
      kind: 'change',
      change: { next: { unknown: { resolution: 'held' } } },
    });
  });

  test('without a configuration it is held', () => {
    expect(woken(inDoubt('resend'), { config: null })).toMatchObject({
      change: { next: { hold: 'channel-unconfigured', unknown: { resolution: 'resend' } } },
    });
  });
});
