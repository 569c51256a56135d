import { describe, expect, test } from 'vitest';
import { newNotification, park, planRedelivery } from '../../../src/domain/admission.ts';
import { aClaimed, aNotification, aRequest, NOW_MS, someFacts } from '../../support/a-notification.ts';

const same = { payloadHash: 'h', tenantId: 'tenant-1' };

describe('newNotification', () => {
  test('is Pending, unclaimed and owes nothing yet', () => {
    expect(newNotification(aRequest())).toMatchObject({
      status: 'Pending',
      final: null,
      cycle: 0,
      attempts: 0,
      claim: null,
      unknown: null,
      hold: null,
      evidence: [],
      outcomeSeq: 0,
      publishedSeq: 0,
      inAppStatus: 'none',
    });
  });

  test('with an in-app copy it waits to show it', () => {
    const inApp = { userId: 'ada', title: 't', body: 'b' };
    expect(newNotification(aRequest({ inApp })).inAppStatus).toBe('waiting');
  });
});

describe('a request that is delivered again', () => {
  test('re-arms a wake-up that a record carries, because the first may be lost', () => {
    const row = aNotification({ wakeAtMs: NOW_MS + 9, wakeSeq: 4 });
    expect(planRedelivery(row, same, same)).toEqual({ kind: 're-arm', dueAtMs: NOW_MS + 9, wakeSeq: 4 });
  });

  test('says when the lease of a claim ends, so that a crash is found without the sweeper', () => {
    const row = aClaimed();
    expect(planRedelivery(row, same, same)).toMatchObject({ kind: 're-arm', dueAtMs: row.wakeAtMs });
  });

  test('leaves a wait that is too long for a record in the table', () => {
    const row = aNotification({ wakeAtMs: NOW_MS + 86_400_000, wakeInLog: false });
    expect(planRedelivery(row, same, same)).toEqual({ kind: 'drop' });
  });

  test('publishes what is owed', () => {
    const row = aNotification({ final: 'accepted', outcomeSeq: 1, wakeInLog: false });
    expect(planRedelivery(row, same, same)).toEqual({ kind: 'publish' });
  });

  test('changes nothing on a final or a held row', () => {
    const final = aNotification({ final: 'accepted', outcomeSeq: 1, publishedSeq: 1, wakeAtMs: NOW_MS });
    const held = aNotification({ hold: 'channel-disabled', wakeAtMs: null });
    expect(planRedelivery(final, same, same)).toEqual({ kind: 'drop' });
    expect(planRedelivery(held, same, same)).toEqual({ kind: 'drop' });
  });

  test.each([
    ['another payload', { ...same, payloadHash: 'other' }],
    ['another tenant', { ...same, tenantId: 'tenant-2' }],
    ['the platform instead of a tenant', { ...same, tenantId: null }],
  ])('with %s it is a conflict: the first wins', (_, request) => {
    const owing = aNotification({ final: 'accepted', outcomeSeq: 1 });
    expect(planRedelivery(owing, same, request)).toEqual({ kind: 'conflict' });
  });
});

describe('park', () => {
  test('waits in the table, carried by a record, and uses no attempt', () => {
    expect(park(aNotification({ attempts: 2 }), 700, someFacts())).toMatchObject({
      next: { attempts: 2, claim: null, hold: null, inAppStatus: 'none' },
      wake: { kind: 'after', waitMs: 700, inLog: true },
      isNextAttempt: false,
      trail: 'parked wait=700',
    });
  });

  test('shows the in-app copy, permit or not', () => {
    expect(park(aNotification({ inAppStatus: 'waiting' }), 700, someFacts()).next.inAppStatus).toBe(
      'arrived',
    );
  });

  test.each([
    [NOW_MS, 'arrived'],
    [NOW_MS + 1, 'waiting'],
  ])('a copy waits for notBefore (%i: %s)', (notBeforeMs, inAppStatus) => {
    const row = aNotification({ inAppStatus: 'waiting', notBeforeMs });
    expect(park(row, 700, someFacts()).next.inAppStatus).toBe(inAppStatus);
  });

  test('never waits beyond notAfter', () => {
    const row = aNotification({ notAfterMs: NOW_MS + 500 });
    expect(park(row, 700, someFacts()).wake).toEqual({ kind: 'at', atMs: NOW_MS + 500, inLog: true });
  });
});
