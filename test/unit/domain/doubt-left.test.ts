// Policy `resend`: calls that nobody heard of, and then one whose message is known. What an earlier one did stays unknown.
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
  anUncertain,
  aWebhook,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';

const BOUNCE = aWebhook({ verdict: 'failed', errorClass: 'transient', errorCode: 'bounce' });
const HARD = aWebhook({ verdict: 'failed', errorClass: 'refused', errorCode: '550' });
const factsOf = (maxAttempts: number) => someFacts({ config: { onUnknown: 'resend', maxAttempts } });
const FIRST = aDoubt({ attempt: 1, resolution: 'resend' });

/** As committed, with its outcome on the topic. */
const committed = (row: Notification, { next }: Change): Notification => ({
  ...row,
  ...next,
  publishedSeq: next.outcomeSeq,
});

function changeBy(row: Notification, webhook: typeof BOUNCE, maxAttempts: number): Change {
  const plan = planWebhook(row, webhook, factsOf(maxAttempts));
  if (plan.kind !== 'apply') throw new Error(plan.kind);
  return plan.change;
}

/** Nobody heard of the first call; the second was accepted. */
function aSentAfterADoubt(): Notification {
  const row = aClaimed({ attempts: 2, claim: aClaim({ attempt: 2 }), unknown: FIRST });
  const change = settleAnswer(row, anAnswer(ACCEPTED, { attempt: 2 }), factsOf(2));
  if (change === null) throw new Error('says nothing');
  return committed(row, change);
}

describe('a message that failed after calls that nobody heard of', () => {
  test('is no certain end: the outcome says that nobody knows', () => {
    const row = aSentAfterADoubt();
    expect(row).toMatchObject({ status: 'Sent', final: 'accepted', unknown: null });
    expect(changeBy(row, BOUNCE, 2).next).toMatchObject({
      status: 'Failed',
      final: 'unknown-outcome',
      lastError: { code: 'NTF_OUTCOME_UNKNOWN' },
      outcome: { isUncertain: true },
    });
  });

  test('leaves the doubt to the next attempt, which counts as a possible duplicate', () => {
    expect(changeBy(aSentAfterADoubt(), BOUNCE, 3).next).toMatchObject({
      status: 'Failed',
      final: null,
      cycle: 1,
      unknown: FIRST,
    });
  });

  test('is terminal where it failed hard, and only a forced redrive sends again', () => {
    expect(changeBy(aSentAfterADoubt(), HARD, 3).next).toMatchObject({
      final: 'failed-webhook',
      outcome: { isUncertain: true },
    });
  });

  test('is no certain end either where it is one of the calls in doubt', () => {
    const row = anUncertain({ attempts: 2, unknown: aDoubt({ attempt: 2, resolution: 'resend' }) });
    expect(changeBy(row, BOUNCE, 2).next.final).toBe('unknown-outcome');
  });

  test('is the end of its own doubt where it was the first call', () => {
    const row = anUncertain({ attempts: 1, unknown: FIRST });
    expect(changeBy(row, BOUNCE, 1).next).toMatchObject({ final: 'exhausted', unknown: null });
    expect(changeBy(row, BOUNCE, 2).next).toMatchObject({ final: null, unknown: null });
  });

  test('is remembered by a row that ended in doubt and was told of a message after it', () => {
    const row = anUncertain({ attempts: 2, unknown: aDoubt({ attempt: 2, resolution: 'resend' }) });
    const change = settleAnswer(
      { ...row, claim: aClaim({ attempt: 3 }), attempts: 3 },
      anAnswer({ kind: 'unknown', phase: 'sent', providerCode: 'timeout' }, { attempt: 3 }),
      factsOf(3),
    );
    if (change === null) throw new Error('says nothing');
    const ended = committed(row, change);
    expect(ended.final).toBe('unknown-outcome');
    const sent = committed(ended, changeBy(ended, aWebhook({ verdict: 'delivered', attempt: 3 }), 3));
    expect(sent).toMatchObject({ status: 'Sent', outcome: { doubt: { attempt: 3 } } });
  });
});

test('the same key is the same message: nothing is left of its doubt', () => {
  const row = aClaimed({
    attempts: 2,
    claim: aClaim({ attempt: 2 }),
    unknown: aDoubt({ attempt: 1, resolution: 'retry' }),
  });
  const change = settleAnswer(
    row,
    anAnswer(ACCEPTED, { attempt: 2 }),
    someFacts({ config: { maxAttempts: 2 } }),
  );
  if (change === null) throw new Error('says nothing');
  const sent = committed(row, change);
  const plan = planWebhook(sent, BOUNCE, someFacts({ config: { maxAttempts: 2 } }));
  expect(plan).toMatchObject({ change: { next: { final: 'exhausted' } } });
});

describe('a failed report while two calls of a replacing provider are in doubt', () => {
  const facts = (capability: 'replace' | 'key') =>
    someFacts({ config: { maxAttempts: 1 }, providers: [{ capability }] });
  const doubt = aDoubt({ sinceMs: NOW_MS - 60_000, resolution: 'held' });
  const row = anUncertain({ unknown: doubt, lastAttemptAtMs: NOW_MS - 20_000 });

  test('is about one of two messages, and says nothing of the other', () => {
    expect(planWebhook(row, BOUNCE, facts('replace'))).toMatchObject({
      change: { next: { final: null, unknown: doubt }, wake: { kind: 'keep' } },
    });
  });

  test('is the answer where there was one call, or one key', () => {
    const single = { ...row, lastAttemptAtMs: doubt.sinceMs };
    expect(planWebhook(single, BOUNCE, facts('replace'))).toMatchObject({
      change: { next: { final: 'exhausted' } },
    });
    expect(planWebhook(row, BOUNCE, facts('key'))).toMatchObject({
      change: { next: { final: 'exhausted' } },
    });
  });

  test('an acceptance of either is the end', () => {
    expect(planWebhook(row, aWebhook(), facts('replace'))).toMatchObject({
      change: { next: { status: 'Sent', final: 'delivered' } },
    });
  });
});
