// A provider's report about a message that nobody recorded: whose answer it is.
import { describe, expect, test } from 'vitest';
import type { Notification } from '../../../src/domain/notification.ts';
import { planWakeUp } from '../../../src/domain/plan.ts';
import type { ProviderWebhook } from '../../../src/domain/provider-webhook.ts';
import { settleAnswer } from '../../../src/domain/settle.ts';
import { planWebhook } from '../../../src/domain/webhook.ts';
import {
  ACCEPTED,
  aClaim,
  aClaimed,
  aDoubt,
  aNotification,
  anAnswer,
  anUncertain,
  aSent,
  aWebhook,
  BOUNCE,
  HARD,
  someFacts,
  TRANSIENT,
} from '../../support/a-notification.ts';

const told = (row: Notification, over: Partial<ProviderWebhook> = {}, config = {}) => {
  const plan = planWebhook(row, aWebhook(over), someFacts({ config }));
  return plan.kind === 'apply' ? plan.change : plan;
};
const KEPT = { wake: { kind: 'keep' }, isNextAttempt: false };
const FAILED = { messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'failed-transient' } as const;

describe('a webhook with our reference about a message that nobody recorded', () => {
  test.each([
    ['delivered', {}, { status: 'Sent', final: 'delivered' }],
    ['complained', { verdict: 'complained' }, { status: 'Sent', final: 'accepted' }],
    ['read', { verdict: 'read' }, { status: 'Sent', final: 'accepted' }],
    ['a passing failure', BOUNCE, { status: 'Failed', final: null, cycle: 1, attempts: 1 }],
    ['a hard failure', HARD, { status: 'Failed', final: 'failed-webhook', cycle: 0 }],
  ] as const)('is the answer of the attempt in flight or in doubt: %s', (_, over, next) => {
    const end = { ...next, claim: null, unknown: null };
    expect(told(aClaimed(), over)).toMatchObject({ next: end });
    expect(told(anUncertain(), over)).toMatchObject({ next: end });
    expect(told(anUncertain({ unknown: aDoubt({ resolution: 'held' }) }), over)).toMatchObject({ next: end });
  });

  test.each(['complained', 'read'] as const)(
    '%s also ends a row whose end left the doubt open',
    (verdict) => {
      const outcome = { isUncertain: true, cycle: 0 } as never;
      const row = aNotification({
        status: 'Failed',
        final: 'unknown-outcome',
        attempts: 1,
        providerKey: 'mail',
        outcome,
      });
      expect(told(row, { verdict })).toMatchObject({ next: { status: 'Sent', final: 'accepted' } });
      expect(told(row, HARD)).toMatchObject({
        next: { status: 'Failed', final: 'unknown-outcome' },
        ...KEPT,
      });
    },
  );

  test.each([
    ['another provider says it', { provider: 'other' }],
    ['it is of another cycle', { cycle: 4 }],
    ['it is of another attempt', { attempt: 4 }],
  ])('is nobody’s answer when %s', (_, over) => {
    expect(told(aClaimed(), { ...HARD, ...over })).toMatchObject({
      next: { claim: aClaim(), final: null },
      ...KEPT,
    });
    expect(told(anUncertain(), { ...HARD, ...over })).toMatchObject({
      next: { final: null, unknown: aDoubt() },
      ...KEPT,
    });
  });

  test('is nobody’s answer after a redrive of what may have arrived, unless the vendor echoes the cycle', () => {
    const outcome = { isUncertain: true, cycle: 0 } as never;
    const row = aClaimed({ cycle: 1, outcome });
    expect(told(row, HARD)).toMatchObject({ next: { claim: row.claim, final: null }, ...KEPT });
    expect(told(row, { ...HARD, cycle: 1 })).toMatchObject({
      next: { claim: null, final: 'failed-webhook' },
    });
  });

  test('leaves a claim alone that somebody took over: its end finds the evidence', () => {
    const row = aClaimed({ claim: aClaim({ takeovers: 1 }), unknown: aDoubt() });
    expect(told(row)).toMatchObject({
      next: {
        claim: row.claim,
        final: null,
        evidence: [{ messageId: 'm-1', cycle: 0, verdict: 'delivered' }],
      },
      ...KEPT,
    });
  });

  test('delivered beside a claim of a later cycle is only recorded, and ends the row when that call fails', () => {
    const row = aClaimed({ cycle: 1, attempts: 2, evidence: [FAILED] });
    const change = told(row);
    expect(change).toMatchObject({ next: { claim: row.claim, final: null }, ...KEPT });
    const next = { ...row, ...('next' in change ? change.next : {}) };
    const answer = anAnswer(TRANSIENT, { cycle: 1, attempt: 2 });
    expect(settleAnswer(next, answer, someFacts())?.next).toMatchObject({
      status: 'Sent',
      final: 'delivered',
      providerMessageId: 'm-1',
    });
  });

  test('is the answer of the attempt that the vendor echoes', () => {
    const row = aClaimed({ attempts: 2, unknown: aDoubt({ attempt: 1 }) });
    expect(told(row, { ...HARD, attempt: 2 })).toMatchObject({
      next: { claim: null, final: 'failed-webhook' },
    });
    expect(told(row, { ...HARD, attempt: 1 })).toMatchObject({
      next: { claim: row.claim, final: null },
      ...KEPT,
    });
    expect(told(row, HARD)).toMatchObject({ next: { claim: row.claim, final: null }, ...KEPT });
  });

  test('without an id of its own is the message of the call that it answers', () => {
    expect(told(anUncertain(), { providerMessageId: null })).toMatchObject({
      next: { final: 'delivered', providerMessageId: `${anUncertain().id}:0:1` },
    });
    expect(told(aSent(), { providerMessageId: null })).toMatchObject({
      next: { evidence: [{ messageId: 'm-1', verdict: 'delivered' }] },
    });
    expect(told(aNotification({ attempts: 0 }), { ...HARD, providerMessageId: null })).toEqual({
      kind: 'ignore',
      reason: 'no-message',
    });
  });
});

describe('an attempt that is made after a failed webhook', () => {
  const failed = { messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'failed-transient' } as const;
  const reopened = aNotification({
    ...{ status: 'Failed', cycle: 1, attempts: 1, providerKey: 'mail' },
    ...{ providerMessageId: 'm-1', evidence: [failed] },
  });

  test('leaves the failed message behind: what is told of it later changes nothing', () => {
    const plan = planWakeUp(reopened, 1, someFacts());
    const claimed = plan.kind === 'send' ? plan.claim.next : null;
    expect(claimed).toMatchObject({ providerMessageId: null, attempts: 2, cycle: 1 });
    const again = { ...reopened, ...claimed, claim: null };
    expect(told(again, HARD)).toMatchObject({ next: { final: null, status: 'Failed' }, ...KEPT });
    expect(told(reopened, HARD)).toMatchObject({ next: { final: 'failed-webhook' } });
  });

  test('whose message was reported as failed before its answer came reopens, unless another message stands', () => {
    const own = { ...failed, cycle: 1, attempt: 2 };
    const answer = anAnswer(ACCEPTED, { cycle: 1, attempt: 2 });
    const row = aClaimed({ cycle: 1, attempts: 2, evidence: [own] });
    expect(settleAnswer(row, answer, someFacts())?.next).toMatchObject({
      status: 'Failed',
      final: null,
      cycle: 2,
    });
    const standing = { ...failed, messageId: 'm-0', verdict: 'delivered' } as const;
    expect(settleAnswer({ ...row, evidence: [standing, own] }, answer, someFacts())?.next).toMatchObject({
      status: 'Sent',
      final: 'delivered',
      providerMessageId: 'm-0',
    });
  });
});
