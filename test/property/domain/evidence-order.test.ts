// Status is a fold over evidence: any order and any number of repeats gives the same row.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CallOutcome } from '../../../src/domain/call-outcome.ts';
import { foldEvidence, MAX_MESSAGES } from '../../../src/domain/evidence.ts';
import { type MessageEvidence, type Notification, VERDICTS } from '../../../src/domain/notification.ts';
import { owesOutcome } from '../../../src/domain/obligation.ts';
import { type CallAnswer, settleAnswer } from '../../../src/domain/settle.ts';
import { changedRow, markedRow } from '../../../src/state/applied-change.ts';
import {
  aClaim,
  aClaimed,
  aDoubt,
  aNotification,
  anAnswer,
  anUncertain,
  LOST,
  MISCONFIGURED,
  NOT_IMPLEMENTED,
  NOW_MS,
  REFUSED,
  someFacts,
  TRANSIENT,
} from '../../support/a-notification.ts';
import { runs } from '../../support/property-runs.ts';

const news: fc.Arbitrary<MessageEvidence> = fc.record({
  messageId: fc.nat({ max: MAX_MESSAGES - 1 }).map((n) => `m-${n}`),
  cycle: fc.constant(0),
  attempt: fc.constant(1),
  verdict: fc.constantFrom(...VERDICTS),
});
const shuffled = <T>(list: T[]) => fc.shuffledSubarray(list, { minLength: list.length });
const byId = (evidence: readonly MessageEvidence[]) =>
  evidence.map(({ messageId, verdict }) => `${messageId} ${verdict}`).sort();
const foldAll = (all: readonly MessageEvidence[]) =>
  all.reduce<readonly MessageEvidence[]>((known, one) => foldEvidence(known, one), []);

describe('evidence', () => {
  test('gives the same verdicts in any order, with any repeats', () => {
    const orders = fc
      .array(news, { maxLength: 30 })
      .chain((all) => fc.tuple(fc.constant(all), shuffled([...all, ...all.slice(0, 5)])));
    fc.assert(
      fc.property(orders, ([one, other]) => {
        expect(byId(foldAll(other))).toEqual(byId(foldAll(one)));
      }),
      { numRuns: runs(500) },
    );
  });

  test('never outgrows its limit, and keeps every message that stands while there is room', () => {
    const many = news.map((one) => ({ ...one, messageId: `${one.messageId}${one.verdict}` }));
    fc.assert(
      fc.property(fc.array(many, { maxLength: 60, size: 'max' }), (all) => {
        const folded = foldAll(all);
        const standing = new Set(
          all
            .filter(({ verdict }) => ['accepted', 'delivered'].includes(verdict))
            .map(({ messageId }) => messageId),
        );
        expect(folded.length).toBeLessThanOrEqual(MAX_MESSAGES);
        if (standing.size > MAX_MESSAGES) return;
        expect([...standing].every((id) => folded.some(({ messageId }) => messageId === id))).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });
});

const accepted = (providerMessageId: string): CallOutcome => ({ kind: 'accepted', providerMessageId });
const outcomes = fc.constantFrom<CallOutcome>(
  accepted('m-1'),
  accepted('m-2'),
  TRANSIENT,
  REFUSED,
  LOST,
  MISCONFIGURED,
  NOT_IMPLEMENTED,
);
const rows = fc.constantFrom<Notification>(
  aClaimed({ attempts: 2 }),
  aClaimed({ claim: aClaim({ takeovers: 1 }), unknown: aDoubt() }),
  aClaimed({ claim: aClaim({ attempt: 5 }), unknown: aDoubt({ attempt: 4 }) }),
  anUncertain(),
  anUncertain({ unknown: aDoubt({ resolution: 'held' }) }),
  aNotification({ status: 'Failed', attempts: 1 }),
  aNotification({ hold: 'channel-disabled', wakeAtMs: null }),
);
const policies = fc.record({
  onUnknown: fc.constantFrom('hold', 'assume-sent', 'resend'),
  maxAttempts: fc.constantFrom(1, 2, 5),
});

describe('answers', () => {
  const said = (own: CallOutcome, late: CallOutcome, row: Notification): readonly CallAnswer[] => [
    anAnswer(own, { attempt: row.claim?.attempt ?? 1 }),
    anAnswer(late, { claimToken: 'stale' }),
  ];
  const settledIn = (row: Notification, answers: readonly CallAnswer[], config: object) =>
    answers.reduce((before, answer) => {
      const published = owesOutcome(before) ? markedRow(before, before.outcomeSeq) : before;
      const change = settleAnswer(published, answer, someFacts({ config }));
      return change === null ? published : changedRow(published, change, NOW_MS);
    }, row);

  test('with an acceptance among them end as Sent in every order, once and again', () => {
    fc.assert(
      fc.property(rows, outcomes, outcomes, policies, (row, own, late, config) => {
        const answers = said(own, late, row);
        const one = settledIn(row, answers, config);
        const other = settledIn(row, answers.toReversed(), config);
        const again = settledIn(one, [...answers, ...answers], config);
        const isSent = own.kind === 'accepted' || late.kind === 'accepted';
        if (isSent) for (const end of [one, other, again]) expect(end.status).toBe('Sent');
        expect(byId(other.evidence)).toEqual(byId(one.evidence));
        expect(other.attempts).toBe(one.attempts);
        expect(again).toMatchObject({
          status: one.status,
          outcomeSeq: one.outcomeSeq,
          attempts: one.attempts,
        });
      }),
      { numRuns: runs(500) },
    );
  });
});
