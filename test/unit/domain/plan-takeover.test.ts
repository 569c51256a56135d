// A claim whose lease is over: nobody recorded an answer, so the call may have been accepted.
import { describe, expect, test } from 'vitest';
import type { Notification } from '../../../src/domain/notification.ts';
import { planWakeUp } from '../../../src/domain/plan.ts';
import {
  aClaim,
  aDoubt,
  anAbandoned,
  type FactsOver,
  LEASE_MS,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';

const woken = (row: Notification, over: FactsOver = {}) => planWakeUp(row, row.wakeSeq, someFacts(over));
const as = (capability: 'key' | 'lookup' | 'replace' | 'none', over: object = {}) => ({
  providers: [{ capability, ...over }],
});

describe('a lease that is over', () => {
  test.each(['key', 'replace'] as const)(
    'with `%s` the same attempt number is claimed again',
    (capability) => {
      expect(woken(anAbandoned({ attempts: 2 }), as(capability))).toMatchObject({
        kind: 'send',
        providerKey: 'mail',
        isPossibleDuplicate: false,
        claim: {
          next: { attempts: 2, claim: { token: 'fresh', attempt: 2, providerKey: 'mail', takeovers: 1 } },
          wake: { kind: 'after', waitMs: LEASE_MS, inLog: false },
          trail: 'taken-over n=2 times=1 provider=mail',
        },
      });
    },
  );

  test('the taken-over call stays in doubt from its own start', () => {
    expect(woken(anAbandoned())).toMatchObject({
      claim: {
        next: {
          unknown: { attempt: 1, providerKey: 'mail', sinceMs: NOW_MS - LEASE_MS, resolution: 'retry' },
        },
      },
    });
  });

  test('an earlier doubt keeps its earlier start', () => {
    const row = anAbandoned({ attempts: 2, unknown: aDoubt({ sinceMs: NOW_MS - 500_000 }) });
    expect(woken(row)).toMatchObject({
      claim: { next: { unknown: { attempt: 2, sinceMs: NOW_MS - 500_000 } } },
    });
  });

  test('the provider of the claim is called, not the one in force now', () => {
    const over = { config: { providerKey: 'other' }, providers: [{}, { providerKey: 'other' }] };
    expect(woken(anAbandoned(), over)).toMatchObject({ kind: 'send', providerKey: 'mail' });
  });

  test.each([
    [2, 'send'],
    [3, 'change'],
  ])('after %i takeovers of one attempt the answer is a %s', (takeovers, kind) => {
    expect(woken(anAbandoned({ claim: aClaim({ takeovers }) })).kind).toBe(kind);
  });

  test('the attempt is unknown when the takeovers are used up', () => {
    expect(woken(anAbandoned({ claim: aClaim({ takeovers: 3 }) }))).toMatchObject({
      change: { next: { claim: null, status: 'Failed', attempts: 1, unknown: { resolution: 'retry' } } },
    });
  });

  test.each([
    ['the channel is off', { config: { isEnabled: false } }],
    ['the gate is closed', { gate: { kind: 'closed', waitMs: 1 } }],
    ['MaxAttempts was lowered below it', { config: { maxAttempts: 1 } }],
    ['the provider is gone', { providers: [] }],
    ['the provider became a stub', as('key', { isStub: true })],
  ] as const)('is not called again when %s', (_, over) => {
    const plan = woken(anAbandoned({ attempts: 2 }), over);
    expect(plan).toMatchObject({ kind: 'change', change: { next: { claim: null, attempts: 2 } } });
  });

  test('is not called again after notAfter', () => {
    expect(woken(anAbandoned({ notAfterMs: NOW_MS }))).toMatchObject({
      kind: 'change',
      change: { next: { claim: null }, wake: { kind: 'at', atMs: NOW_MS } },
    });
  });

  test('is called again at MaxAttempts, because it is no new attempt', () => {
    expect(woken(anAbandoned({ attempts: 5 })).kind).toBe('send');
  });

  test.each([
    [2 * LEASE_MS + 1, 'send'],
    [2 * LEASE_MS, 'change'],
  ])('a key that is good for %i ms must outlast a whole new lease: %s', (windowMs, kind) => {
    expect(woken(anAbandoned(), as('key', { windowMs })).kind).toBe(kind);
  });

  test('the window counts from the first call in doubt, not from the last takeover', () => {
    const row = anAbandoned({
      claim: aClaim({ takeovers: 1 }),
      unknown: aDoubt({ sinceMs: NOW_MS - 90_000 }),
    });
    expect(woken(row, as('key', { windowMs: 100_000 })).kind).toBe('change');
  });

  test('with `lookup` the wait runs from the end of the lease, however late the row is looked at', () => {
    const late = as('lookup', { visibilityDelayMs: 5_000 });
    expect(woken(anAbandoned(), { ...late, nowMs: NOW_MS + 1_000 })).toMatchObject({
      change: { wake: { kind: 'after', waitMs: 4_000 } },
    });
  });

  test('with `lookup` the provider is asked after its visibility delay', () => {
    expect(woken(anAbandoned(), as('lookup', { visibilityDelayMs: 5_000 }))).toMatchObject({
      kind: 'change',
      change: {
        next: { claim: null, unknown: { resolution: 'look-up', attempt: 1 } },
        wake: { kind: 'after', waitMs: 5_000 },
        isNextAttempt: false,
      },
    });
  });

  test('with `none` the policy decides', () => {
    expect(woken(anAbandoned(), as('none'))).toMatchObject({
      change: { next: { unknown: { resolution: 'held' } }, wake: { kind: 'after', waitMs: 900_000 } },
    });
  });

  test('a message that was recorded meanwhile ends it as Sent', () => {
    const evidence = [{ messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'accepted' }] as const;
    expect(woken(anAbandoned({ evidence }))).toMatchObject({
      change: { next: { status: 'Sent', claim: null, providerMessageId: 'm-1' } },
    });
  });
});
