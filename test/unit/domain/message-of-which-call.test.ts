// Calls of which nobody heard, and messages of whose calls nobody told at first: what is told later puts it right.
import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/domain/change.ts';
import type { Notification } from '../../../src/domain/notification.ts';
import { planWakeUp } from '../../../src/domain/plan.ts';
import type { RuleFacts } from '../../../src/domain/rule-facts.ts';
import { settleAnswer } from '../../../src/domain/settle.ts';
import { planWebhook } from '../../../src/domain/webhook.ts';
import {
  ACCEPTED,
  aClaim,
  aClaimed,
  aDoubt,
  anAbandoned,
  anAnswer,
  anUncertain,
  aProvider,
  aWebhook,
  BOUNCE,
  committed,
  HARD,
  LOST,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';

const BOUNCED = aWebhook(BOUNCE);
const FAILED_HARD = aWebhook(HARD);
const factsOf = (maxAttempts: number) => someFacts({ config: { onUnknown: 'resend', maxAttempts } });
const FIRST = aDoubt({ attempt: 1, resolution: 'resend' });
const NO_CAPABILITY = aProvider({ capability: 'none' });
/** Nobody heard of the first call, and the second is in flight. */
const SECOND = aClaimed({ attempts: 2, claim: aClaim({ attempt: 2 }), unknown: FIRST });

function changeBy(row: Notification, webhook: typeof BOUNCED, facts = factsOf(2)): Change {
  const plan = planWebhook(row, webhook, facts);
  if (plan.kind !== 'apply') throw new Error(plan.kind);
  return plan.change;
}

describe('a report that names no attempt, told between two calls of which nobody heard of the first', () => {
  const row = committed(SECOND, changeBy(SECOND, BOUNCED));

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
    expect(changeBy(told, FAILED_HARD).next).toMatchObject({ status: 'Sent', providerMessageId: 'm-first' });
  },
);

describe('calls that resend gave up', () => {
  const THIRD = { attempts: 3, claim: aClaim({ attempt: 3 }), unknown: FIRST };
  /** The key is trusted no longer: that is why they were given up. */
  const keyed = (over: Parameters<typeof someFacts>[0]) =>
    someFacts({ providers: [aProvider({ capability: 'key', windowMs: 1_000 })], ...over });
  const GIVEN_UP = { attempt: 3, sinceMs: FIRST.sinceMs, isResent: true };

  function decided(row: Notification, facts: RuleFacts): Notification {
    const plan = planWakeUp(row, row.wakeSeq, facts);
    if (plan.kind !== 'change') throw new Error(plan.kind);
    return committed(row, plan.change);
  }

  /** The third message is reported as delivered, then as failed. */
  function endOf(row: Notification, facts: RuleFacts): Notification {
    return [aWebhook({ attempt: 3, cycle: 0 }), { ...FAILED_HARD, attempt: 3, cycle: 0 }].reduce(
      (before, webhook) => committed(before, changeBy(before, webhook, facts)),
      row,
    );
  }

  test('stay in doubt when a cancel ends the row, and what is told of the last says nothing of them', () => {
    const facts = keyed({ config: { onUnknown: 'resend', maxAttempts: 4 } });
    const row = decided(anAbandoned({ ...THIRD, cancelBy: 'ops' }), facts);
    expect(row.outcome).toMatchObject({ reason: 'cancelled', isUncertain: true, doubt: GIVEN_UP });
    expect(endOf(row, facts).outcome).toMatchObject({ reason: 'failed-webhook', isUncertain: true });
  });

  test('stay in doubt when the policy changed to hold', () => {
    const facts = keyed({ config: { onUnknown: 'hold', maxAttempts: 4 } });
    const row = decided(anAbandoned(THIRD), facts);
    expect(row.unknown).toMatchObject({ ...GIVEN_UP, resolution: 'held' });
    expect(endOf(row, facts).outcome).toMatchObject({ reason: 'failed-webhook', isUncertain: true });
  });

  test('stay in doubt when another provider, with a key, takes the last call over', () => {
    const other = { ...aClaim({ attempt: 2 }), providerKey: 'mail-2' };
    const providers = [aProvider(), aProvider({ providerKey: 'mail-2', capability: 'key', windowMs: null })];
    const facts = someFacts({ providers, config: { onUnknown: 'resend', maxAttempts: 4 } });
    const row = anAbandoned({ attempts: 2, claim: other, unknown: FIRST });
    const plan = planWakeUp(row, row.wakeSeq, facts);
    if (plan.kind !== 'send') throw new Error(plan.kind);
    const token = plan.claim.next.claim?.token ?? '';
    const answer = anAnswer(ACCEPTED, { attempt: 2, claimToken: token, providerKey: 'mail-2' });
    const change = settleAnswer(committed(row, plan.claim), answer, facts);
    expect(change?.next).toMatchObject({ status: 'Sent', outcome: { doubt: { isResent: true } } });
  });
});

test('an assumed end that its message reopened leaves nothing open: a reading of the next one is evidence at once', () => {
  const assume = someFacts({
    config: { onUnknown: 'assume-sent', maxAttempts: 3 },
    providers: [NO_CAPABILITY],
  });
  const first = settleAnswer(aClaimed(), anAnswer(LOST), assume);
  if (first === null) throw new Error('says nothing');
  const assumed = committed(aClaimed(), first);
  expect(assumed).toMatchObject({ final: 'assumed', outcome: { isUncertain: true } });
  const reopened = committed(assumed, changeBy(assumed, BOUNCED));
  expect(reopened).toMatchObject({ cycle: 1, unknown: null, final: null });
  const plan = planWakeUp({ ...reopened, wakeAtMs: NOW_MS }, reopened.wakeSeq, assume);
  if (plan.kind !== 'send') throw new Error(plan.kind);
  const claimed = committed(reopened, plan.claim);
  const told = changeBy(claimed, aWebhook({ verdict: 'read', providerMessageId: 'm-2' }));
  expect(told.next).toMatchObject({ status: 'Sent', providerMessageId: 'm-2' });
});

test('a failed report without an attempt is no answer of a later call where messages are replaced: it may be of one before', () => {
  const replacing = someFacts({
    providers: [aProvider({ capability: 'replace' })],
    config: { maxAttempts: 5 },
  });
  const row = aClaimed({ cycle: 1, attempts: 3, claim: aClaim({ attempt: 3 }) });
  const doubtful = anUncertain({
    cycle: 1,
    attempts: 3,
    unknown: aDoubt({ attempt: 3, sinceMs: NOW_MS }),
    lastAttemptAtMs: NOW_MS,
  });
  for (const before of [row, doubtful]) {
    const change = changeBy(before, FAILED_HARD, replacing);
    const { claim, unknown, final } = before;
    expect(change.next).toMatchObject({ claim, unknown, final, evidence: [{ verdict: 'failed-hard' }] });
    expect(change.wake).toEqual({ kind: 'keep' });
  }
  const named = changeBy(row, { ...FAILED_HARD, attempt: 3, cycle: 1 }, replacing);
  expect(named.next.final).toBe('failed-webhook');
});

test('an assumed end that was reopened with calls still in doubt leaves their reports to either cycle', () => {
  const config = { onUnknown: 'assume-sent', maxAttempts: 3 } as const;
  const facts = someFacts({ config, providers: [NO_CAPABILITY] });
  const change = settleAnswer(SECOND, anAnswer(LOST, { attempt: 2 }), facts);
  if (change === null) throw new Error('says nothing');
  const assumed = committed(SECOND, change);
  const reopened = changeBy(assumed, BOUNCED, facts);
  const { next } = reopened;
  expect(next).toMatchObject({
    cycle: 1,
    unknown: { isResent: true },
    outcome: { wasRedrivenInDoubt: true },
  });
  const other = changeBy(committed(assumed, reopened), { ...FAILED_HARD, providerMessageId: 'm-2' });
  expect(other.next).toMatchObject({ final: null, unknown: next.unknown });
});
