// Calls of which nobody heard, and messages of whose calls nobody told at first: what is told later puts it right.
import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/domain/change.ts';
import type { Notification } from '../../../src/domain/notification.ts';
import { settleAnswer } from '../../../src/domain/settle.ts';
import { planWebhook } from '../../../src/domain/webhook.ts';
import {
  ACCEPTED,
  aClaim,
  aClaimed,
  aDoubt,
  anAnswer,
  aWebhook,
  committed,
  someFacts,
} from '../../support/a-notification.ts';

const BOUNCE = aWebhook({ verdict: 'failed', errorClass: 'transient', errorCode: 'bounce' });
const HARD = aWebhook({ verdict: 'failed', errorClass: 'refused', errorCode: '550' });
const factsOf = (maxAttempts: number) => someFacts({ config: { onUnknown: 'resend', maxAttempts } });
const FIRST = aDoubt({ attempt: 1, resolution: 'resend' });
/** Nobody heard of the first call, and the second is in flight. */
const SECOND = aClaimed({ attempts: 2, claim: aClaim({ attempt: 2 }), unknown: FIRST });

function changeBy(row: Notification, webhook: typeof BOUNCE): Change {
  const plan = planWebhook(row, webhook, factsOf(2));
  if (plan.kind !== 'apply') throw new Error(plan.kind);
  return plan.change;
}

describe('a report that names no attempt, told between two calls of which nobody heard of the first', () => {
  const row = committed(SECOND, changeBy(SECOND, BOUNCE));

  test('is of the second where that call answers with the same message: the first is in doubt as before', () => {
    expect(row.evidence).toMatchObject([{ messageId: 'm-1', verdict: 'failed-transient' }]);
    const change = settleAnswer(row, anAnswer(ACCEPTED, { attempt: 2 }), factsOf(2));
    expect(change?.next).toMatchObject({
      final: 'unknown-outcome',
      evidence: [{ messageId: 'm-1', attempt: 2 }],
      outcome: { isUncertain: true, doubt: FIRST },
    });
  });

  test('is put right by a late answer, once, and nothing else is', () => {
    const third = { ...row, attempts: 3, claim: aClaim({ token: 'of the third', attempt: 3 }) };
    const late = anAnswer(ACCEPTED, { attempt: 2 });
    const change = settleAnswer(third, late, factsOf(3));
    expect(change?.next).toEqual({ ...third, evidence: [{ ...row.evidence[0], attempt: 2 }] });
    expect(change?.wake).toEqual({ kind: 'keep' });
    if (change != null) expect(settleAnswer(committed(third, change), late, factsOf(3))).toBeNull();
  });
});

test.each(['complained', 'read', 'unsubscribed'] as const)(
  '%s of a call in doubt is evidence also while another message of it is Sent: that one may fail later',
  (verdict) => {
    const change = settleAnswer(SECOND, anAnswer(ACCEPTED, { attempt: 2 }), factsOf(2));
    if (change === null) throw new Error('says nothing');
    const sent = committed(SECOND, change);
    const told = committed(sent, changeBy(sent, aWebhook({ verdict, providerMessageId: 'm-first' })));
    expect(told).toMatchObject({ status: 'Sent', providerMessageId: 'm-1' });
    expect(changeBy(told, HARD).next).toMatchObject({ status: 'Sent', providerMessageId: 'm-first' });
  },
);
