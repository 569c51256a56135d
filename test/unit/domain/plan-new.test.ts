// What happens to a request at first sight. The order of the rules: an end, a wait, a hold, a gate, a claim.
import { describe, expect, test } from 'vitest';
import { newNotification } from '../../../src/domain/admission.ts';
import { planNew } from '../../../src/domain/plan.ts';
import {
  aRequest,
  LEASE_MS,
  LONGEST_RECORD_WAIT_MS,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';

const copy = { userId: 'ada', title: 't', body: 'b' };
const asked = (over: Parameters<typeof aRequest>[0] = {}) => newNotification(aRequest(over));
const closed = { kind: 'closed', waitMs: 7_000 } as const;
const off = { isEnabled: false };

describe('planNew', () => {
  test('claims attempt 1 before the call, with a lease that no record carries', () => {
    expect(planNew(asked(), someFacts())).toEqual({
      kind: 'send',
      providerKey: 'mail',
      isPossibleDuplicate: false,
      claim: {
        next: {
          ...asked(),
          attempts: 1,
          providerKey: 'mail',
          claim: { token: 'fresh', attempt: 1, providerKey: 'mail', takeovers: 0 },
        },
        wake: { kind: 'after', waitMs: LEASE_MS, inLog: false },
        isNextAttempt: false,
        trail: 'claimed n=1 provider=mail',
      },
    });
  });

  test('a request that is past notAfter ends as expired and never shows its copy', () => {
    const plan = planNew(asked({ notAfterMs: NOW_MS, inApp: copy }), someFacts());
    expect(plan).toMatchObject({
      kind: 'change',
      change: {
        next: {
          status: 'Failed',
          final: 'expired',
          inAppStatus: 'none',
          outcomeSeq: 1,
          publishedSeq: 0,
          outcome: { error: { code: 'NTF_EXPIRED' }, attempts: 0, supersedes: null, providerKey: 'mail' },
        },
      },
    });
  });

  test('an attempt may still start a millisecond before notAfter', () => {
    expect(planNew(asked({ notAfterMs: NOW_MS + 1 }), someFacts()).kind).toBe('send');
  });

  test('waits for notBefore, copy and all, before any hold or gate', () => {
    const request = asked({ notBeforeMs: NOW_MS + 1, inApp: copy });
    expect(planNew(request, someFacts({ config: off, gate: closed }))).toMatchObject({
      kind: 'change',
      change: {
        next: { inAppStatus: 'waiting', hold: null, attempts: 0 },
        wake: { kind: 'at', atMs: NOW_MS + 1 },
        trail: 'not-before',
      },
    });
  });

  test('notBefore is over at its own millisecond', () => {
    expect(planNew(asked({ notBeforeMs: NOW_MS }), someFacts()).kind).toBe('send');
  });

  test.each([
    ['the channel is off', { config: off }, 'channel-disabled'],
    ['the channel has no configuration', { config: null }, 'channel-unconfigured'],
    ['the channel has no provider', { config: { providerKey: null } }, 'channel-unconfigured'],
    ['the provider does not exist', { providers: [] }, 'channel-unconfigured'],
    ['the provider is a stub', { providers: [{ isStub: true }] }, 'channel-stub'],
  ])('holds when %s: no attempt, the copy arrives', (_, over, reason) => {
    expect(planNew(asked({ inApp: copy }), someFacts({ ...over, gate: closed }))).toMatchObject({
      kind: 'change',
      change: {
        next: { hold: reason, status: 'Pending', attempts: 0, claim: null, inAppStatus: 'arrived' },
        wake: { kind: 'none' },
      },
    });
  });

  test('waits as long as a closed gate says, without an attempt, and the copy arrives', () => {
    expect(planNew(asked({ inApp: copy }), someFacts({ gate: closed }))).toMatchObject({
      kind: 'change',
      change: {
        next: { attempts: 0, hold: null, inAppStatus: 'arrived' },
        wake: { kind: 'after', waitMs: 7_000, inLog: true },
        isNextAttempt: false,
        trail: 'gate-closed provider=mail why=operator wait=7000',
      },
    });
  });

  test('a wait at a gate that is too long for a record rests in the table', () => {
    const gate = { kind: 'closed', waitMs: LONGEST_RECORD_WAIT_MS + 1 } as const;
    expect(planNew(asked(), someFacts({ gate }))).toMatchObject({ change: { wake: { inLog: false } } });
  });

  test('the copy arrives with the claim', () => {
    const plan = planNew(asked({ inApp: copy }), someFacts());
    expect(plan).toMatchObject({ kind: 'send', claim: { next: { inAppStatus: 'arrived' } } });
  });
});
