// Policy `resend`, and a provider that replaces: calls that nobody heard of, and then one whose message is known. What an earlier one did stays unknown.
import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/domain/change.ts';
import type { Notification } from '../../../src/domain/notification.ts';
import { planWakeUp } from '../../../src/domain/plan.ts';
import { settleAnswer } from '../../../src/domain/settle.ts';
import { endUnknown } from '../../../src/domain/unknown-policy.ts';
import { planWebhook } from '../../../src/domain/webhook.ts';
import {
  ACCEPTED,
  aClaim,
  aClaimed,
  aDoubt,
  anAnswer,
  anUncertain,
  aWebhook,
  committed,
  NOW_MS,
  someFacts,
  TRANSIENT,
} from '../../support/a-notification.ts';

const BOUNCE = aWebhook({ verdict: 'failed', errorClass: 'transient', errorCode: 'bounce' });
const HARD = aWebhook({ verdict: 'failed', errorClass: 'refused', errorCode: '550' });
const factsOf = (maxAttempts: number) => someFacts({ config: { onUnknown: 'resend', maxAttempts } });
const FIRST = aDoubt({ attempt: 1, resolution: 'resend' });
/** The last of two calls that nobody heard of. */
const TWICE = { attempts: 2, lastAttemptAtMs: NOW_MS - 30_000 };

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
    expect(row.outcome).not.toHaveProperty('isUncertain');
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
    const row = anUncertain({ ...TWICE, unknown: aDoubt({ attempt: 2, resolution: 'resend' }) });
    expect(changeBy(row, BOUNCE, 2).next.final).toBe('unknown-outcome');
  });

  test('is the end of its own doubt where it was the first call', () => {
    const row = anUncertain({ attempts: 1, unknown: FIRST });
    expect(changeBy(row, BOUNCE, 1).next).toMatchObject({ final: 'exhausted', unknown: null });
    expect(changeBy(row, BOUNCE, 2).next).toMatchObject({ final: null, unknown: null });
  });

  test('is remembered by a row that ended in doubt and was told of a message after it', () => {
    const row = anUncertain({ ...TWICE, unknown: aDoubt({ attempt: 2, resolution: 'resend' }) });
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

  test('leaves the doubt to a row that was told before that the same message arrived', () => {
    const sentBy = (capability: 'replace' | 'key', row: Notification) => {
      const plan = planWebhook(row, aWebhook(), facts(capability));
      if (plan.kind !== 'apply') throw new Error(plan.kind);
      return committed(row, plan.change);
    };
    const hardEnd = (capability: 'replace' | 'key', over: Partial<Notification> = {}) =>
      planWebhook(sentBy(capability, { ...row, ...over }), HARD, facts(capability));
    const end = (isUncertain?: true) => ({
      change: { next: { final: 'failed-webhook', outcome: { seq: 2, ...(isUncertain && { isUncertain }) } } },
    });
    expect(hardEnd('replace')).toMatchObject(end(true));
    expect(JSON.stringify(hardEnd('key'))).not.toContain('isUncertain');
    expect(hardEnd('key')).toMatchObject(end());
    const single = hardEnd('replace', { lastAttemptAtMs: doubt.sinceMs });
    expect(JSON.stringify(single)).not.toContain('isUncertain');
    expect(single).toMatchObject(end());
  });

  test('after the end, a report that names no attempt is about the calls in doubt, not about the last one', () => {
    // The third call certainly put out nothing; the first two may have.
    const two = { ...doubt, attempt: 2 };
    const ended = committed(row, endUnknown({ ...row, attempts: 3, unknown: two }, two, facts('replace')));
    expect(ended).toMatchObject({ final: 'unknown-outcome', attempts: 3, outcome: { doubt: two } });
    const delivered = planWebhook(ended, aWebhook({ attempt: null }), facts('replace'));
    if (delivered.kind !== 'apply') throw new Error(delivered.kind);
    const sent = committed(ended, delivered.change);
    expect(sent).toMatchObject({ status: 'Sent', evidence: [{ attempt: 2 }], outcome: { doubt: {} } });
    expect(planWebhook(sent, { ...HARD, attempt: null }, facts('replace'))).toMatchObject({
      change: { next: { final: 'failed-webhook', outcome: { isUncertain: true } } },
    });
  });

  test('beside a claim, a report that names no attempt may be of any of them, and leaves the doubt', () => {
    const two = { ...doubt, attempt: 2, resolution: 'retry' } as const;
    const claim = aClaim({ attempt: 3 });
    const claimed = aClaimed({ attempts: 3, claim, unknown: two, lastAttemptAtMs: NOW_MS - 1_000 });
    const told = planWebhook(claimed, aWebhook({ attempt: null }), facts('replace'));
    if (told.kind !== 'apply') throw new Error(told.kind);
    // The call of the claim certainly put out nothing: the message is of one of the two before it.
    const recorded = committed(claimed, told.change);
    const ended = settleAnswer(recorded, anAnswer(TRANSIENT, { attempt: 3 }), facts('replace'));
    if (ended === null) throw new Error('says nothing');
    const sent = committed(claimed, ended);
    expect(sent).toMatchObject({ status: 'Sent', outcome: { doubt: { attempt: 2 } } });
    expect(planWebhook(sent, { ...HARD, attempt: null }, facts('replace'))).toMatchObject({
      change: { next: { final: 'failed-webhook', outcome: { isUncertain: true } } },
    });
  });

  test('an acceptance of either is the end', () => {
    expect(planWebhook(row, aWebhook(), facts('replace'))).toMatchObject({
      change: { next: { status: 'Sent', final: 'delivered' } },
    });
  });
});

describe('a call in doubt beside a message that is known', () => {
  const BEFORE = [{ messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'accepted' as const }];
  const claimed = aClaimed({
    ...{ attempts: 2, claim: aClaim({ attempt: 2 }), evidence: BEFORE },
    ...{ wakeAtMs: NOW_MS, lastAttemptAtMs: NOW_MS - 30_000 },
  });
  const facts = (capability: 'none' | 'key' | 'replace', onUnknown: 'hold' | 'assume-sent' = 'hold') =>
    someFacts({ config: { maxAttempts: 3, onUnknown }, providers: [{ capability }] });
  const lostAnswer = anAnswer({ kind: 'unknown', phase: 'sent', providerCode: 'timeout' }, { attempt: 2 });
  const changeOf = (change: Change | null) => {
    if (change === null) throw new Error('says nothing');
    return change;
  };
  const bounced = (row: Notification, rules: ReturnType<typeof facts>) =>
    planWebhook(row, aWebhook({ ...BOUNCE, providerMessageId: 'm-1', cycle: 0, attempt: 1 }), rules);

  test.each([
    ['its lease ran out', () => planWakeUp(claimed, claimed.wakeSeq, facts('none'))],
    [
      'its answer was lost',
      () => ({ kind: 'change', change: changeOf(settleAnswer(claimed, lostAnswer, facts('none'))) }),
    ],
  ])('is remembered when %s', (_, plan) => {
    expect(plan()).toMatchObject({
      change: {
        next: {
          ...{ status: 'Sent', providerMessageId: 'm-1' },
          outcome: { doubt: { attempt: 2, sinceMs: NOW_MS - 30_000, resolution: 'retry' } },
        },
      },
    });
  });

  test('keeps how an older doubt is settled', () => {
    const row = { ...claimed, unknown: FIRST };
    expect(changeOf(settleAnswer(row, lostAnswer, facts('none'))).next.outcome).toMatchObject({
      doubt: { ...FIRST, attempt: 2 },
    });
  });

  test('is remembered where its provider is gone', () => {
    const gone = someFacts({ providers: [] });
    expect(changeOf(settleAnswer(claimed, lostAnswer, gone)).next.outcome).toMatchObject({
      doubt: { attempt: 2 },
    });
  });

  test('is forgotten where it was the same key', () => {
    const { next } = changeOf(settleAnswer(claimed, lostAnswer, facts('key')));
    expect(next).toMatchObject({ status: 'Sent' });
    expect(next.outcome).not.toHaveProperty('doubt');
  });

  test('is asked or replaced in its own cycle when the message fails, and never called certain', () => {
    const sent = committed(claimed, changeOf(settleAnswer(claimed, lostAnswer, facts('replace'))));
    expect(bounced(sent, facts('replace'))).toMatchObject({
      change: { next: { final: null, cycle: 0, unknown: { attempt: 2, resolution: 'retry' } } },
    });
  });

  test('names no message when it is assumed to have arrived', () => {
    const rules = facts('none', 'assume-sent');
    const sent = committed(claimed, changeOf(settleAnswer(claimed, lostAnswer, rules)));
    const plan = bounced({ ...sent, attempts: 3 }, rules);
    expect(plan).toMatchObject({
      change: { next: { final: 'assumed', providerMessageId: null, outcome: { providerMessageId: null } } },
    });
  });

  test('is over when the last call of a replacing provider is answered: it replaced all before it', () => {
    const row = { ...claimed, evidence: [], unknown: aDoubt({ attempt: 1 }) };
    const { next } = changeOf(settleAnswer(row, anAnswer(ACCEPTED, { attempt: 2 }), facts('replace')));
    expect(next).toMatchObject({ status: 'Sent' });
    expect(next.outcome).not.toHaveProperty('doubt');
  });

  test('is over when a later call of a replacing provider is told of, whoever tells it', () => {
    const row = anUncertain({ ...TWICE, unknown: aDoubt({ attempt: 1 }) });
    const report = aWebhook({ providerMessageId: 'm-2', attempt: 2 });
    const later = planWebhook(row, report, facts('replace'));
    expect(later).toMatchObject({ change: { next: { status: 'Sent', providerMessageId: 'm-2' } } });
    expect(JSON.stringify(later)).not.toContain('"doubt"');
    const other = planWebhook(row, report, facts('none'));
    expect(other).toMatchObject({ change: { next: { outcome: { doubt: { attempt: 1 } } } } });
  });

  test('is none where the first call alone was in doubt, however many certainly failed since', () => {
    const row = anUncertain({ ...TWICE, unknown: FIRST });
    const report = planWebhook(row, aWebhook({ attempt: 1 }), facts('none'));
    expect(report).toMatchObject({ change: { next: { status: 'Sent' } } });
    expect(JSON.stringify(report)).not.toContain('"doubt"');
  });
});
