// What is told of a message of one cycle says nothing of a call in doubt of another; and a vendor that echoes no cycle may mean either.
import { describe, expect, test } from 'vitest';
import type { Notification } from '../../../src/domain/notification.ts';
import { settleAnswer } from '../../../src/domain/settle.ts';
import { settleByPolicy } from '../../../src/domain/unknown-policy.ts';
import { planWebhook } from '../../../src/domain/webhook.ts';
import {
  ACCEPTED,
  aClaim,
  aClaimed,
  aDoubt,
  aMessage,
  anAnswer,
  anUncertain,
  aWebhook,
  committed,
  HARD,
  someFacts,
} from '../../support/a-notification.ts';

const FAILED_HARD = aWebhook(HARD);

describe('a report that names no cycle, after a redrive by force while nobody knew', () => {
  /** The call of the second cycle is in doubt as that of the first was. */
  const assumed = (capability: 'none' | 'key', over: Partial<Notification> = {}) => {
    const facts = someFacts({
      config: { onUnknown: 'assume-sent', maxAttempts: 1 },
      providers: [{ capability }],
    });
    const row = aClaimed({
      ...{ cycle: 1, attempts: 1, claim: aClaim(), outcomeSeq: 1, publishedSeq: 1 },
      outcome: { cycle: 0, isUncertain: true, wasRedrivenInDoubt: true } as never,
      ...over,
    });
    const outcome = { kind: 'unknown', phase: 'sent', providerCode: null } as const;
    const change = settleAnswer(row, anAnswer(outcome, { cycle: 1 }), facts);
    if (change === null) throw new Error('says nothing');
    return { row: committed(row, change), facts };
  };

  test.each(['none', 'key'] as const)(
    'may be about the first message: the second stays in doubt (%s)',
    (capability) => {
      const { row, facts } = assumed(capability);
      expect(row).toMatchObject({ final: 'assumed', outcome: { cycle: 1, wasRedrivenInDoubt: true } });
      expect(planWebhook(row, FAILED_HARD, facts)).toMatchObject({
        change: { next: { final: 'failed-webhook', outcome: { isUncertain: true } } },
      });
    },
  );

  test('is about the only one without such a redrive', () => {
    const { row, facts } = assumed('none', { cycle: 0, outcome: null, outcomeSeq: 0, publishedSeq: 0 });
    const plan = planWebhook(row, FAILED_HARD, facts);
    expect(plan).toMatchObject({ change: { next: { final: 'failed-webhook' } } });
    expect(JSON.stringify(plan)).not.toContain('isUncertain');
  });

  test('the own answer of a call says of its cycle what there is to say', () => {
    const { row, facts } = assumed('none', { unknown: aDoubt() });
    const claimed = { ...row, claim: aClaim(), final: null, unknown: aDoubt() };
    const change = settleAnswer(claimed, anAnswer(ACCEPTED, { cycle: 1 }), facts);
    expect(change?.next).toMatchObject({ status: 'Sent' });
    expect(change?.next.outcome).not.toHaveProperty('doubt');
  });
});

test.each(['key', 'none', 'lookup', 'replace'] as const)(
  'a message of the cycle before does not end the doubt about the call of this one (%s)',
  (capability) => {
    const facts = someFacts({
      config: { onUnknown: 'assume-sent', maxAttempts: 2 },
      providers: [{ capability }],
    });
    const before = aMessage({ cycle: 0, attempt: 1, verdict: 'failed-transient' });
    const doubt = aDoubt({ attempt: 2 });
    const row = anUncertain({ cycle: 1, attempts: 2, evidence: [before], unknown: doubt });
    const assumed = committed(row, settleByPolicy(row, doubt, facts));
    expect(assumed).toMatchObject({ final: 'assumed', providerMessageId: null });
    const arrived = planWebhook(assumed, aWebhook({ verdict: 'delivered', cycle: 0, attempt: 1 }), facts);
    if (arrived.kind !== 'apply') throw new Error(arrived.kind);
    const sent = committed(assumed, arrived.change);
    expect(sent).toMatchObject({ status: 'Sent', providerMessageId: before.messageId });
    expect(planWebhook(sent, FAILED_HARD, facts)).toMatchObject({
      change: { next: { final: 'failed-webhook', outcome: { isUncertain: true } } },
    });
  },
);
