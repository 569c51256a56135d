// The answer of a call that the row no longer waits for: its lease was over, or another process went on.
import { describe, expect, test } from 'vitest';
import { settleAnswer } from '../../../src/domain/settle.ts';
import {
  ACCEPTED,
  aClaim,
  aClaimed,
  aDoubt,
  aNotification,
  anAnswer,
  anUncertain,
  LOST,
  MISCONFIGURED,
  NOW_MS,
  REFUSED,
  someFacts,
  TRANSIENT,
} from '../../support/a-notification.ts';

const facts = someFacts();
const late = (outcome: typeof ACCEPTED, over: Parameters<typeof anAnswer>[1] = {}) =>
  anAnswer(outcome, { claimToken: 'stale', ...over });
const evidence = [{ messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'accepted' }] as const;
const recorded = { wake: { kind: 'keep' }, isNextAttempt: false };

describe('a late acceptance', () => {
  test.each([
    ['waits', aNotification({ status: 'Failed', attempts: 2 })],
    ['is in doubt', anUncertain()],
    ['is held', aNotification({ hold: 'channel-disabled', wakeAtMs: null })],
    ['is terminal Failed', aNotification({ status: 'Failed', final: 'exhausted' })],
  ])('ends a row that %s as Sent', (_, row) => {
    expect(settleAnswer(row, late(ACCEPTED), facts)).toMatchObject({
      next: {
        status: 'Sent',
        final: 'accepted',
        hold: null,
        unknown: null,
        evidence,
        providerMessageId: 'm-1',
      },
      trail: 'late-accepted n=1 message=m-1',
    });
  });

  test('supersedes the failure that was told', () => {
    const row = aNotification({ status: 'Failed', final: 'unknown-outcome', outcomeSeq: 1, publishedSeq: 1 });
    expect(settleAnswer(row, late(ACCEPTED), facts)?.next).toMatchObject({
      outcomeSeq: 2,
      publishedSeq: 1,
      outcome: { status: 'Sent', supersedes: 1 },
    });
  });

  test('names the provider that accepted it', () => {
    const row = aNotification({ status: 'Failed', attempts: 2, providerKey: 'other' });
    expect(settleAnswer(row, late(ACCEPTED), facts)?.next).toMatchObject({
      providerKey: 'mail',
      outcome: { providerKey: 'mail' },
    });
  });

  test('is evidence beside a claim: it touches neither claim nor budget nor timer', () => {
    const row = aClaimed({ attempts: 2 });
    expect(settleAnswer(row, late(ACCEPTED), facts)).toEqual({
      next: { ...row, evidence },
      ...recorded,
      trail: 'late-accepted n=1 message=m-1',
    });
  });

  test('of an older cycle also ends a row that is not Sent, with its budget as it is', () => {
    const row = aNotification({ status: 'Failed', cycle: 2, attempts: 1 });
    expect(settleAnswer(row, late(ACCEPTED, { cycle: 1 }), facts)?.next).toMatchObject({
      status: 'Sent',
      cycle: 2,
      attempts: 1,
      evidence: [{ messageId: 'm-1', cycle: 1 }],
    });
  });

  test('is evidence on a Sent row, whose message stays current', () => {
    const current = { messageId: 'm-0', cycle: 0, attempt: 2, verdict: 'accepted' } as const;
    const row = aNotification({
      status: 'Sent',
      final: 'accepted',
      evidence: [current],
      providerMessageId: 'm-0',
      outcomeSeq: 1,
      publishedSeq: 1,
    });
    expect(settleAnswer(row, late(ACCEPTED), facts)).toMatchObject({
      next: { evidence: [current, ...evidence], providerMessageId: 'm-0', outcomeSeq: 1 },
      ...recorded,
    });
  });

  test('becomes the current message of a row that was assumed Sent, and emits nothing', () => {
    const failed = { messageId: 'm-0', cycle: 0, attempt: 1, verdict: 'failed-transient' } as const;
    const row = aNotification({
      status: 'Sent',
      final: 'assumed',
      evidence: [failed],
      providerMessageId: 'm-0',
      outcomeSeq: 1,
      publishedSeq: 1,
    });
    expect(settleAnswer(row, late(ACCEPTED), facts)).toMatchObject({
      next: { final: 'assumed', providerMessageId: 'm-1', outcomeSeq: 1 },
      ...recorded,
    });
  });

  test('that the row says already changes nothing', () => {
    expect(
      settleAnswer(aNotification({ status: 'Sent', final: 'accepted', evidence }), late(ACCEPTED), facts),
    ).toBeNull();
    expect(settleAnswer(aClaimed({ evidence }), late(ACCEPTED), facts)).toBeNull();
  });
});

describe('a late refusal', () => {
  test.each(['retry', 'resend', 'look-up', 'held'] as const)(
    'of the attempt in doubt ends the row (%s)',
    (resolution) => {
      const row = anUncertain({ unknown: aDoubt({ resolution }) });
      expect(settleAnswer(row, late(REFUSED), facts)?.next).toMatchObject({
        final: 'refused',
        unknown: null,
      });
    },
  );

  test.each([
    ['another attempt is in doubt', anUncertain({ unknown: aDoubt({ attempt: 2 }) })],
    ['a call is in flight', aClaimed({ claim: aClaim({ takeovers: 1 }), unknown: aDoubt() })],
    ['the row is in another cycle', anUncertain({ cycle: 1 })],
    ['the row is final', anUncertain({ final: 'unknown-outcome' })],
    ['nothing is in doubt', aNotification({ status: 'Failed', attempts: 1 })],
  ])('is only written down when %s', (_, row) => {
    expect(settleAnswer(row, late(REFUSED), facts)).toEqual({
      next: row,
      ...recorded,
      trail: 'late-answer n=1 kind=refused',
    });
  });
});

describe('any other late answer', () => {
  test.each([TRANSIENT, MISCONFIGURED])('($kind) is only written down', (outcome) => {
    const row = anUncertain();
    expect(settleAnswer(row, late(outcome), facts)).toEqual({
      next: row,
      ...recorded,
      trail: `late-answer n=1 kind=${outcome.kind}`,
    });
  });

  test('that knows nothing changes nothing', () => {
    expect(settleAnswer(anUncertain(), late(LOST), facts)).toBeNull();
  });

  test('never starts a timer again', () => {
    const row = aNotification({ status: 'Failed', attempts: 1, wakeAtMs: NOW_MS + 30_000 });
    expect(settleAnswer(row, late(TRANSIENT), facts)?.wake).toEqual({ kind: 'keep' });
  });
});
