// A provider's report meets the row, one rule at a time.
import { describe, expect, test } from 'vitest';
import type { Notification } from '../../../src/domain/notification.ts';
import type { ProviderWebhook } from '../../../src/domain/provider-webhook.ts';
import { planWebhook } from '../../../src/domain/webhook.ts';
import {
  aClaimed,
  aNotification,
  anUncertain,
  aSent,
  aWebhook,
  BOUNCE,
  HARD,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';

const facts = someFacts();
const told = (row: Notification, over: Partial<ProviderWebhook> = {}, config = {}) => {
  const plan = planWebhook(row, aWebhook(over), someFacts({ config }));
  return plan.kind === 'apply' ? plan.change : plan;
};
const KEPT = { wake: { kind: 'keep' }, isNextAttempt: false };
const FAILED = { messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'failed-transient' } as const;

describe('any webhook', () => {
  test('waits until the outcome that the row owes is published', () => {
    expect(planWebhook(aSent({ publishedSeq: 0 }), aWebhook(), facts)).toEqual({ kind: 'publish' });
  });

  test('that the row says already is a repeat and writes nothing', () => {
    const row = aSent({
      deliveredAtMs: NOW_MS - 500,
      evidence: [{ ...FAILED, verdict: 'delivered' }],
    });
    expect(told(row)).toEqual({ kind: 'ignore', reason: 'repeat' });
  });
});

describe('delivered', () => {
  test('on a Sent row sets DeliveredAt and emits nothing', () => {
    expect(told(aSent())).toMatchObject({
      next: {
        status: 'Sent',
        final: 'accepted',
        deliveredAtMs: NOW_MS - 500,
        outcomeSeq: 1,
        evidence: [{ messageId: 'm-1', verdict: 'delivered' }],
      },
      ...KEPT,
      trail: 'webhook verdict=delivered message=m-1',
    });
  });

  test('keeps the earliest time that a provider names', () => {
    const row = aSent({ deliveredAtMs: NOW_MS - 100 });
    expect(told(row)).toMatchObject({ next: { deliveredAtMs: NOW_MS - 500 } });
    expect(told(row, { occurredAtMs: NOW_MS })).toMatchObject({ next: { deliveredAtMs: NOW_MS - 100 } });
  });

  test.each([
    ['waiting', aNotification({ status: 'Failed', attempts: 1 })],
    ['held', aNotification({ hold: 'channel-disabled', wakeAtMs: null })],
    ['in doubt', anUncertain()],
    [
      'terminal Failed',
      aNotification({ status: 'Failed', final: 'exhausted', outcomeSeq: 1, publishedSeq: 1 }),
    ],
    ['cancelled', aNotification({ status: 'Failed', final: 'cancelled', outcomeSeq: 1, publishedSeq: 1 })],
    ['reopened by the same message', aNotification({ status: 'Failed', cycle: 1, evidence: [FAILED] })],
  ])('ends a row that is %s as Sent', (_, row) => {
    expect(told(row)).toMatchObject({
      next: {
        status: 'Sent',
        final: 'delivered',
        providerMessageId: 'm-1',
        deliveredAtMs: NOW_MS - 500,
        outcomeSeq: row.outcomeSeq + 1,
        outcome: { reason: 'delivered', evidence: 'delivered' },
      },
    });
  });

  test('takes back that the failure was acknowledged', () => {
    const row = aNotification({ status: 'Failed', final: 'exhausted', closedAtMs: 5 });
    expect(told(row)).toMatchObject({ next: { final: 'delivered', closedAtMs: null } });
  });

  test('does not lower a hard failure', () => {
    const evidence = [{ ...FAILED, verdict: 'failed-hard' }] as const;
    const row = aNotification({ status: 'Failed', final: 'failed-webhook', evidence, deliveredAtMs: 1 });
    expect(told(row)).toEqual({ kind: 'ignore', reason: 'repeat' });
  });

  test('becomes the current message of a row that was only assumed to be Sent', () => {
    const row = aSent({ final: 'assumed', providerMessageId: null, evidence: [] });
    expect(told(row)).toMatchObject({ next: { final: 'assumed', providerMessageId: 'm-1' }, ...KEPT });
  });
});

describe('a failed webhook of the current message', () => {
  test('reopens a Sent notification and keeps its attempts [AC7]', () => {
    expect(told(aSent({ attempts: 2 }), BOUNCE)).toMatchObject({
      next: {
        status: 'Failed',
        final: null,
        cycle: 1,
        attempts: 2,
        outcomeSeq: 1,
        publishedSeq: 1,
        lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: 'bounce' },
      },
      wake: { kind: 'after', waitMs: 60_000, inLog: true },
      isNextAttempt: true,
      trail: 'reopened cycle=1 code=NTF_PROVIDER_TRANSIENT said=bounce message=m-1',
    });
  });

  test('ends the row when no attempt is left, in the same cycle', () => {
    expect(told(aSent({ attempts: 5 }), BOUNCE)).toMatchObject({
      next: {
        status: 'Failed',
        final: 'exhausted',
        cycle: 0,
        outcomeSeq: 2,
        outcome: { supersedes: 1, evidence: 'failed-webhook', providerMessageId: 'm-1' },
      },
    });
  });

  test('is terminal at once when it is hard', () => {
    expect(told(aSent(), HARD)).toMatchObject({
      next: {
        status: 'Failed',
        final: 'failed-webhook',
        cycle: 0,
        outcome: {
          seq: 2,
          supersedes: 1,
          evidence: 'failed-webhook',
          error: { code: 'NTF_PROVIDER_INVALID_RECIPIENT', providerCode: '550' },
        },
      },
    });
  });

  test.each(['NTF_PUSH_TOKEN_INVALID', 'NTF_PROVIDER_BLOCKED'])(
    'is hard by the code %s alone',
    (errorCode) => {
      expect(told(aSent(), { verdict: 'failed', errorCode })).toMatchObject({
        next: { final: 'failed-webhook', lastError: { code: errorCode, providerCode: null } },
      });
    },
  );

  test('that was reopened still ends the row when it turns out to be hard before another attempt', () => {
    const evidence = [FAILED];
    const row = aNotification({
      status: 'Failed',
      cycle: 1,
      attempts: 1,
      providerMessageId: 'm-1',
      evidence,
    });
    expect(told(row, HARD)).toMatchObject({ next: { final: 'failed-webhook' } });
    const tried = { ...row, attempts: 2, providerMessageId: null };
    expect(told(tried, HARD)).toMatchObject({ next: { final: null }, ...KEPT });
  });

  test('makes another message current that stands, and emits nothing', () => {
    const evidence = [
      { ...FAILED, messageId: 'm-0', verdict: 'accepted' },
      { ...FAILED, verdict: 'accepted' },
    ] as const;
    expect(told(aSent({ evidence }), HARD)).toMatchObject({
      next: { status: 'Sent', providerMessageId: 'm-0', outcomeSeq: 1 },
      ...KEPT,
      trail: 'webhook verdict=failed message=m-1 said=550 next=m-0',
    });
  });

  test('reopens a row that was only assumed to be Sent', () => {
    const row = aSent({ final: 'assumed', providerMessageId: null, evidence: [] });
    expect(told(row, BOUNCE)).toMatchObject({ next: { status: 'Failed', final: null, cycle: 1 } });
  });

  test('passing, does not undo a delivery', () => {
    const evidence = [{ ...FAILED, verdict: 'delivered' }] as const;
    expect(told(aSent({ evidence }), BOUNCE)).toEqual({ kind: 'ignore', reason: 'repeat' });
    expect(told(aSent({ evidence }), HARD)).toMatchObject({ next: { final: 'failed-webhook' } });
  });
});

describe('a failed webhook of another message', () => {
  test.each([
    ['an unknown one, on a Sent row', aSent()],
    ['an unknown one, on a waiting row', aNotification({ status: 'Failed', attempts: 1 })],
    ['an unknown one, on a terminal row', aNotification({ status: 'Failed', final: 'exhausted' })],
  ])('is recorded and changes nothing: %s', (_, row) => {
    const { status, final, cycle, attempts, providerMessageId } = row;
    expect(told(row, { ...HARD, providerMessageId: 'm-9' })).toMatchObject({
      next: { status, final, cycle, attempts, providerMessageId },
      ...KEPT,
    });
  });

  test('leaves the current message current, also when a newer one stands', () => {
    const evidence = [
      { ...FAILED, messageId: 'm-0', verdict: 'accepted' },
      { ...FAILED, verdict: 'accepted' },
    ] as const;
    const row = aSent({ evidence, providerMessageId: 'm-0' });
    expect(told(row, { ...HARD, providerMessageId: 'm-9' })).toMatchObject({
      next: { status: 'Sent', providerMessageId: 'm-0' },
      ...KEPT,
    });
  });

  test('of an older cycle is recorded and changes nothing', () => {
    const evidence = [
      { ...FAILED, messageId: 'm-0', verdict: 'accepted' },
      { ...FAILED, cycle: 1, verdict: 'accepted' },
    ] as const;
    expect(told(aSent({ cycle: 1, evidence }), { ...HARD, providerMessageId: 'm-0' })).toMatchObject({
      next: { status: 'Sent', cycle: 1, providerMessageId: 'm-1' },
      ...KEPT,
    });
  });
});

describe('complaints, unsubscribes and reads', () => {
  test.each([
    ['complained', 'complainedAtMs'],
    ['unsubscribed', 'unsubscribedAtMs'],
    ['read', 'seenAtMs'],
  ] as const)('%s is recorded and does not change delivery', (verdict, stamp) => {
    for (const row of [aSent(), aNotification({ status: 'Failed', final: 'refused' }), aNotification()]) {
      const change = told(row, { verdict });
      expect(change).toEqual({
        next: { ...row, [stamp]: NOW_MS - 500 },
        ...KEPT,
        trail: `webhook verdict=${verdict} message=m-1`,
      });
      expect(told({ ...row, [stamp]: NOW_MS - 500 }, { verdict })).toMatchObject({ kind: 'ignore' });
    }
  });
});

describe('a row that somebody asked to cancel', () => {
  test('ends when the webhook says that the call in flight failed, and not when it says that it arrived', () => {
    const row = aClaimed({ cancelBy: 'ops:ada' });
    expect(told(row, BOUNCE)).toMatchObject({ next: { final: 'cancelled', cancelBy: null } });
    expect(told(row)).toMatchObject({ next: { final: 'delivered', cancelBy: null } });
  });
});
