// Which message and which call a report is about, where the vendor names little, and what a report of a failure may change.
import { describe, expect, test } from 'vitest';
import type { Notification } from '../../../src/domain/notification.ts';
import type { ProviderWebhook } from '../../../src/domain/provider-webhook.ts';
import { planWebhook } from '../../../src/domain/webhook.ts';
import {
  aClaim,
  aClaimed,
  aDoubt,
  aMessage,
  aNotification,
  anId,
  anUncertain,
  aSent,
  aWebhook,
  BOUNCE,
  type FactsOver,
  HARD,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';

const told = (row: Notification, over: Partial<ProviderWebhook> = {}, facts: FactsOver = {}) => {
  const plan = planWebhook(row, aWebhook(over), someFacts(facts));
  return plan.kind === 'apply' ? plan.change : plan;
};
const COMPLAINED = { verdict: 'complained' } as const;
const KEPT = { wake: { kind: 'keep' }, isNextAttempt: false };
const FAILED = aMessage({ verdict: 'failed-transient' });

describe('a report without the message’s id', () => {
  const NAMELESS = { providerMessageId: null };
  const own = aMessage({ verdict: 'delivered' });

  test.each([
    ['says nothing else', {}],
    ['names its cycle and attempt', { cycle: 0, attempt: 1 }],
    ['names its cycle', { cycle: 0 }],
    ['names another attempt, and not in which cycle', { attempt: 2 }],
    ['names another cycle, and not which attempt', { cycle: 1 }],
  ])('is about the row’s own message when it %s', (_, over) => {
    expect(told(aSent(), { ...NAMELESS, ...over })).toMatchObject({ next: { evidence: [own] } });
  });

  test.each([
    ['another attempt', { cycle: 0, attempt: 2 }],
    ['another cycle', { cycle: 1, attempt: 1 }],
  ])('is about the call of %s that it names', (_, { cycle, attempt }) => {
    const messageId = `${anId()}:${cycle}:${attempt}`;
    expect(told(aSent(), { ...NAMELESS, cycle, attempt })).toMatchObject({
      next: { evidence: [aMessage(), { messageId, cycle, attempt, verdict: 'delivered' }] },
    });
  });

  test('is about the row’s own of several messages', () => {
    const older = aMessage({ messageId: 'm-0', verdict: 'failed-transient' });
    const current = aMessage({ cycle: 1, attempt: 2 });
    const row = aSent({ cycle: 1, attempts: 2, evidence: [older, current] });
    expect(told(row, { ...NAMELESS, cycle: 1, attempt: 2 })).toMatchObject({
      next: { evidence: [older, { ...current, verdict: 'delivered' }] },
    });
  });

  test('is about the call in flight, else about the one in doubt', () => {
    const claim = aClaim({ attempt: 2 });
    const row = aClaimed({ cycle: 1, attempts: 2, claim, providerMessageId: 'm-1', evidence: [FAILED] });
    expect(told(row, NAMELESS)).toMatchObject({
      next: { final: 'delivered', providerMessageId: `${anId()}:1:2`, claim: null },
    });
    const doubted = anUncertain({ attempts: 3, unknown: aDoubt({ attempt: 2 }) });
    expect(told(doubted, NAMELESS)).toMatchObject({
      next: { final: 'delivered', providerMessageId: `${anId()}:0:2` },
    });
  });

  test('is about nothing that can be told where the row has no message', () => {
    const row = aNotification({ status: 'Failed', attempts: 1, evidence: [FAILED] });
    expect(told(row, { ...NAMELESS, ...HARD })).toEqual({ kind: 'ignore', reason: 'no-message' });
  });
});

describe('a row that was only assumed to be Sent', () => {
  const assumed = (over: Partial<Notification> = {}) =>
    aSent({ final: 'assumed', providerMessageId: null, evidence: [], ...over });

  test.each([
    ['it is of an earlier cycle', assumed({ cycle: 1 }), { cycle: 0 }],
    ['it was known before as failed', assumed({ evidence: [FAILED] }), {}],
    ['another message stands', assumed({ evidence: [aMessage({ messageId: 'm-0' })] }), {}],
    ['nothing was assumed', aSent({ providerMessageId: null, evidence: [] }), {}],
  ])('is not failed by the report of a message when %s', (_, row, over) => {
    expect(told(row, { ...HARD, ...over })).toMatchObject({
      next: { status: 'Sent', final: row.final },
      ...KEPT,
    });
  });
});

describe('a complaint about a message that nobody recorded', () => {
  const ended = (outcome: object, over: Partial<Notification> = {}) =>
    aNotification({
      ...{ status: 'Failed', final: 'unknown-outcome', attempts: 1, providerKey: 'mail' },
      outcome: { cycle: 0, ...outcome } as never,
      ...over,
    });

  test.each([
    ['whose end was certain', ended({})],
    ['that waits for its next attempt', ended({ isUncertain: true }, { final: null })],
    ['of another attempt', ended({ isUncertain: true }, { attempts: 2 })],
    ['of another provider', ended({ isUncertain: true }, { providerKey: 'other' })],
    ['redriven before while nobody knew', ended({ isUncertain: true, wasRedrivenInDoubt: true })],
  ])('is stamped on a row %s, and nothing more', (_, row) => {
    const change = told(row, { ...COMPLAINED, attempt: 1 });
    expect(change).toMatchObject({
      next: { status: 'Failed', final: row.final, evidence: [], complainedAtMs: NOW_MS - 500 },
      ...KEPT,
    });
  });

  test('says that a call in doubt was accepted, beside a claim too: one of the two where no attempt is told', () => {
    const row = aClaimed({ attempts: 2, claim: aClaim({ attempt: 2 }), unknown: aDoubt({ attempt: 1 }) });
    expect(told(row, { ...COMPLAINED, attempt: 1 })).toMatchObject({
      next: { claim: row.claim, final: null, evidence: [aMessage()] },
      ...KEPT,
    });
    expect(told(row, COMPLAINED)).toMatchObject({
      next: { claim: row.claim, final: null, unknown: row.unknown, evidence: [aMessage()] },
      ...KEPT,
    });
    for (const over of [{ attempt: 3 }, { attempt: 1, provider: 'other' }, { provider: 'other' }])
      expect(told(row, { ...COMPLAINED, ...over })).toMatchObject({
        next: { claim: row.claim, evidence: [] },
        ...KEPT,
      });
  });

  test('says so of the earlier call too where the attempt was taken over', () => {
    const row = aClaimed({ claim: aClaim({ takeovers: 1 }), unknown: aDoubt() });
    expect(told(row, { ...COMPLAINED, attempt: 1 })).toMatchObject({
      next: { claim: row.claim, final: null, evidence: [aMessage()] },
      ...KEPT,
    });
  });

  test('is evidence after the end where it names the call in doubt, and not the one after it', () => {
    const row = ended({ isUncertain: true, doubt: aDoubt({ attempt: 2 }) }, { attempts: 3 });
    const [own, last] = [2, 3].map((attempt) => told(row, { ...COMPLAINED, attempt }));
    expect(own).toMatchObject({ next: { status: 'Sent', evidence: [aMessage({ attempt: 2 })] } });
    expect(last).toMatchObject({ next: { status: 'Failed', evidence: [] }, ...KEPT });
  });

  test('that came before is a repeat', () => {
    const row = aSent({ complainedAtMs: NOW_MS - 500 });
    expect(told(row, COMPLAINED)).toEqual({ kind: 'ignore', reason: 'repeat' });
  });
});

describe('the report of a failure', () => {
  const reopened = (over: Partial<Notification> = {}) =>
    aNotification({
      ...{ status: 'Failed', cycle: 1, attempts: 1, providerKey: 'mail', providerMessageId: 'm-1' },
      evidence: [FAILED],
      ...over,
    });

  test('of another message of the cycle that reopened the row ends it only when it is hard', () => {
    const other = { providerMessageId: 'm-2', cycle: 0, attempt: 1 };
    expect(told(reopened(), { ...BOUNCE, ...other })).toMatchObject({ next: { final: null }, ...KEPT });
    expect(told(reopened(), { ...HARD, ...other })).toMatchObject({ next: { final: 'failed-webhook' } });
    expect(told(reopened(), { ...HARD, ...other, cycle: 1 })).toMatchObject({
      next: { final: null },
      ...KEPT,
    });
  });

  test('of the message that reopened the row does not end a call in flight or in doubt', () => {
    const claim = aClaim({ attempt: 2 });
    for (const row of [reopened({ attempts: 2, claim }), reopened({ attempts: 2, unknown: aDoubt() })])
      expect(told(row, HARD)).toMatchObject({
        next: { final: null, claim: row.claim, unknown: row.unknown },
        ...KEPT,
      });
  });

  test('ends a row that waits as Sent when another message stands', () => {
    const row = reopened({ evidence: [aMessage({ messageId: 'm-0' }), FAILED] });
    expect(told(row, HARD)).toMatchObject({
      next: { status: 'Sent', final: 'accepted', providerMessageId: 'm-0', outcomeSeq: 1 },
    });
  });

  test('names the provider that answered the call, and for a known message the one that the row has', () => {
    const claimed = aClaimed({ providerKey: 'older' });
    expect(told(claimed, HARD)).toMatchObject({ next: { outcome: { providerKey: 'mail' } } });
    expect(told(aSent(), { ...HARD, provider: 'newer' })).toMatchObject({
      next: { outcome: { providerKey: 'mail' } },
    });
  });

  test('of the call in flight is its answer, also where an earlier one may have been replaced by it', () => {
    const row = aClaimed({ attempts: 2, claim: aClaim({ attempt: 2 }), unknown: aDoubt({ attempt: 1 }) });
    const replacing = { providers: [{ capability: 'replace' as const }] };
    expect(told(row, { ...HARD, attempt: 2 }, replacing)).toMatchObject({
      next: { claim: null, final: 'failed-webhook' },
    });
  });

  test('is the answer of the call in flight after a redrive of what had certainly failed', () => {
    const row = aClaimed({ cycle: 1, outcome: { cycle: 0 } as never });
    expect(told(row, HARD)).toMatchObject({ next: { claim: null, final: 'failed-webhook' } });
  });

  test('of an older call does not hurry an attempt whose wait the provider asked for', () => {
    const waiting = anUncertain({ nextAttemptAtMs: NOW_MS + 1_200_000, wakeAtMs: NOW_MS + 1_200_000 });
    expect(told(waiting, BOUNCE, { config: { maxAttempts: 3 } })).toMatchObject({
      ...{ next: { cycle: 1 }, wake: { kind: 'after', waitMs: 1_200_000 }, isNextAttempt: true },
    });
  });
});

test('the trail shows the first forty characters of an id', () => {
  const providerMessageId = 'x'.repeat(60);
  expect(told(aSent(), { ...COMPLAINED, providerMessageId })).toMatchObject({
    trail: `webhook verdict=complained message=${'x'.repeat(40)}`,
  });
});
