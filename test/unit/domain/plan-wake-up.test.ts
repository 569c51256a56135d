// A wake-up decides nothing: the row is the answer, and the first rule that holds wins.
import { describe, expect, test } from 'vitest';
import type { Notification } from '../../../src/domain/notification.ts';
import { planWakeUp } from '../../../src/domain/plan.ts';
import {
  aClaimed,
  aDoubt,
  aNotification,
  anUncertain,
  type FactsOver,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';

const woken = (row: Notification, over: FactsOver = {}, wakeSeq = row.wakeSeq) =>
  planWakeUp(row, wakeSeq, someFacts(over));
const off = { config: { isEnabled: false } };
const heldRow = (over: Partial<Notification> = {}) =>
  aNotification({ hold: 'channel-disabled', wakeAtMs: null, ...over });
const tried = (attempts: number, over: Partial<Notification> = {}) =>
  aNotification({
    status: 'Failed',
    attempts,
    lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: '503' },
    ...over,
  });

describe('a woken row', () => {
  test('publishes what it owes first, whatever else it is', () => {
    const row = aNotification({ final: 'accepted', outcomeSeq: 1, wakeAtMs: NOW_MS + 60_000 });
    expect(woken(row)).toEqual({ kind: 'publish' });
  });

  test('that is final and published is dropped', () => {
    const row = aNotification({ final: 'accepted', outcomeSeq: 1, publishedSeq: 1 });
    expect(woken(row)).toEqual({ kind: 'drop', reason: 'final' });
  });

  test('that came early waits for what is left, if the wake-up is its own', () => {
    expect(woken(aNotification({ wakeAtMs: NOW_MS + 1 }))).toEqual({ kind: 'not-due', waitMs: 1 });
  });

  test('that came early by an older wake-up is dropped', () => {
    expect(woken(aNotification({ wakeAtMs: NOW_MS + 1, wakeSeq: 5 }), {}, 4)).toEqual({
      kind: 'drop',
      reason: 'superseded',
    });
  });

  test('that is due is planned even by an older wake-up', () => {
    expect(woken(aNotification({ wakeSeq: 5 }), {}, 4).kind).toBe('send');
  });

  test('with a live claim is left to its holder', () => {
    expect(woken(aClaimed()).kind).toBe('not-due');
  });
});

describe('a waiting row', () => {
  test('claims the next attempt with the provider in force now', () => {
    const over = { config: { providerKey: 'other' }, providers: [{}, { providerKey: 'other' }] };
    expect(woken(tried(2), over)).toMatchObject({
      kind: 'send',
      providerKey: 'other',
      claim: { next: { attempts: 3, providerKey: 'other', claim: { attempt: 3, takeovers: 0 } } },
    });
  });

  test('claims the last attempt that MaxAttempts allows', () => {
    expect(woken(tried(4))).toMatchObject({ kind: 'send', claim: { next: { attempts: 5 } } });
  });

  test('whose budget was lowered is finalised without a call, also while its channel is off', () => {
    for (const over of [{ config: { maxAttempts: 3 } }, { config: { maxAttempts: 3, isEnabled: false } }])
      expect(woken(tried(3), over)).toMatchObject({
        kind: 'change',
        change: {
          next: {
            status: 'Failed',
            final: 'exhausted',
            outcome: { reason: 'exhausted', attempts: 3, maxAttempts: 3, error: { providerCode: '503' } },
          },
          trail: 'exhausted n=3 code=NTF_PROVIDER_TRANSIENT said=503',
        },
      });
  });

  test('without a configuration is held, not finalised: nobody knows its budget', () => {
    expect(woken(tried(9), { config: null })).toMatchObject({
      change: { next: { final: null, hold: 'channel-unconfigured' } },
    });
  });

  test('whose budget was lowered ends by the unknown policy while a call may have been accepted', () => {
    const row = anUncertain({ attempts: 3 });
    expect(woken(row, { config: { maxAttempts: 3 } })).toMatchObject({
      change: { next: { final: null, unknown: { resolution: 'held' } } },
    });
  });

  test('past notAfter ends as expired, with its copy as it was', () => {
    expect(woken(tried(1, { notAfterMs: NOW_MS, inAppStatus: 'arrived' }))).toMatchObject({
      change: { next: { final: 'expired', inAppStatus: 'arrived' } },
    });
  });

  test('with a message that stands, of whatever cycle, ends as Sent instead of calling', () => {
    const evidence = [{ messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'delivered' }] as const;
    for (const cycle of [0, 1])
      expect(woken(tried(1, { evidence, cycle }))).toMatchObject({
        kind: 'change',
        change: { next: { status: 'Sent', final: 'delivered', providerMessageId: 'm-1' } },
      });
  });
});

describe('a held row', () => {
  test('stays held while the cause lasts', () => {
    expect(woken(heldRow(), off)).toEqual({ kind: 'drop', reason: 'held' });
  });

  test('goes on when the cause is gone, though nothing was due', () => {
    expect(woken(heldRow())).toMatchObject({ kind: 'send', claim: { next: { hold: null, attempts: 1 } } });
    expect(woken(heldRow({ wakeAtMs: NOW_MS + 9_000, notAfterMs: NOW_MS + 9_000 })).kind).toBe('send');
  });

  test('changes its reason with the cause', () => {
    expect(woken(heldRow(), { config: null })).toMatchObject({
      kind: 'change',
      change: { next: { hold: 'channel-unconfigured' }, wake: { kind: 'none' } },
    });
  });

  test('expires while held', () => {
    expect(woken(heldRow({ notAfterMs: NOW_MS, wakeAtMs: NOW_MS }), off)).toMatchObject({
      change: { next: { final: 'expired', hold: null } },
    });
  });

  test('meets a closed gate when it goes on', () => {
    expect(woken(heldRow(), { gate: { kind: 'closed', waitMs: 5 } })).toMatchObject({
      change: { next: { hold: null }, trail: 'gate-closed provider=mail why=operator wait=5' },
    });
  });

  test('is held by the provider of its doubt, not by the one in force', () => {
    const row = heldRow({ unknown: aDoubt({ providerKey: 'gone' }), status: 'Failed', attempts: 1 });
    expect(woken(row, { config: { onUnknown: 'resend' } })).toMatchObject({
      change: { next: { hold: 'channel-unconfigured' } },
    });
  });
});
