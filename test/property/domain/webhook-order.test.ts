// Webhooks and the answer of a call, in any order and any number of repeats: the same row. What a history leaves behind (outcomes that
// were published, cycles that were opened) is not the row's present: status, end, evidence, times and attempts are.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/domain/change.ts';
import type { MessageEvidence, Notification } from '../../../src/domain/notification.ts';
import { owesOutcome } from '../../../src/domain/obligation.ts';
import type { ProviderWebhook } from '../../../src/domain/provider-webhook.ts';
import { settleAnswer } from '../../../src/domain/settle.ts';
import { planWebhook } from '../../../src/domain/webhook.ts';
import { changedRow, markedRow } from '../../../src/state/applied-change.ts';
import {
  ACCEPTED,
  aClaimed,
  aDoubt,
  aNotification,
  anAnswer,
  anUncertain,
  aSent,
  aWebhook,
  LOST,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';
import { runs } from '../../support/property-runs.ts';
import { meetsObligations } from './walk-invariants.ts';

type News =
  | { readonly kind: 'webhook'; readonly said: ProviderWebhook }
  | { readonly kind: 'answer'; readonly said: typeof ACCEPTED };

const older: MessageEvidence = { messageId: 'm-0', cycle: 0, attempt: 1, verdict: 'accepted' };
const newer: MessageEvidence = { messageId: 'm-1', cycle: 0, attempt: 2, verdict: 'accepted' };

interface World {
  readonly row: Notification;
  /** The call in flight, if there is one, gets this answer. */
  readonly answer: typeof ACCEPTED | null;
  readonly messages: readonly string[];
}

const worlds = fc.constantFrom<World>(
  { row: aSent(), answer: null, messages: ['m-1'] },
  { row: aSent({ attempts: 2, evidence: [older, newer] }), answer: null, messages: ['m-0', 'm-1'] },
  {
    row: aSent({ final: 'assumed', providerMessageId: null, evidence: [] }),
    answer: null,
    messages: ['m-1'],
  },
  { row: anUncertain(), answer: null, messages: ['m-1'] },
  { row: anUncertain({ unknown: aDoubt({ resolution: 'held' }) }), answer: null, messages: ['m-1'] },
  {
    row: aNotification({ status: 'Failed', final: 'exhausted', attempts: 5 }),
    answer: null,
    messages: ['m-1'],
  },
  { row: aClaimed(), answer: ACCEPTED, messages: ['m-1'] },
  { row: aClaimed(), answer: LOST as typeof ACCEPTED, messages: ['m-1'] },
);

const said = fc.constantFrom<Partial<ProviderWebhook>>(
  { verdict: 'delivered' },
  { verdict: 'delivered', occurredAtMs: NOW_MS - 9_000 },
  { verdict: 'failed', errorClass: 'transient' },
  { verdict: 'failed', errorClass: 'refused' },
  { verdict: 'complained' },
  { verdict: 'unsubscribed' },
  { verdict: 'read' },
);

const histories = worlds.chain((world) => {
  const webhooks = fc.array(
    fc.tuple(said, fc.constantFrom(...world.messages)).map(
      ([over, providerMessageId]): News => ({
        kind: 'webhook',
        said: aWebhook({ ...over, providerMessageId }),
      }),
    ),
    { maxLength: 6 },
  );
  return webhooks.chain((news) => {
    const all: News[] = world.answer === null ? news : [...news, { kind: 'answer', said: world.answer }];
    const repeated = [...all, ...all.slice(0, 3)];
    return fc.record({
      world: fc.constant(world),
      one: fc.constant(all),
      other: fc.shuffledSubarray(repeated, { minLength: repeated.length }),
    });
  });
});

const policies = fc.record({
  onUnknown: fc.constantFrom('hold', 'assume-sent', 'resend'),
  maxAttempts: fc.constantFrom(1, 2, 5),
});

function changeOf(row: Notification, news: News, config: object): Change | null {
  const facts = someFacts({ config });
  if (news.kind === 'answer') return settleAnswer(row, anAnswer(news.said), facts);
  const plan = planWebhook(row, news.said, facts);
  return plan.kind === 'apply' ? plan.change : null;
}

function told(start: Notification, all: readonly News[], config: object): Notification {
  let row = start;
  for (const news of all) {
    if (owesOutcome(row)) row = markedRow(row, row.outcomeSeq);
    const change = changeOf(row, news, config);
    if (change === null) continue;
    row = changedRow(row, change, NOW_MS);
    expect(meetsObligations(row)).toBe(true);
  }
  return owesOutcome(row) ? markedRow(row, row.outcomeSeq) : row;
}

function present(row: Notification) {
  const { status, attempts, claim, deliveredAtMs, seenAtMs, complainedAtMs, unsubscribedAtMs } = row;
  const verdicts = row.evidence.map(({ messageId, verdict }) => `${messageId} ${verdict}`).sort();
  const times = { deliveredAtMs, seenAtMs, complainedAtMs, unsubscribedAtMs };
  return { status, isFinal: row.final !== null, attempts, claim, verdicts, ...times };
}

describe('webhooks', () => {
  test('in any order and any number of repeats give the same row', () => {
    fc.assert(
      fc.property(histories, policies, ({ world, one, other }, config) => {
        expect(present(told(world.row, other, config))).toEqual(present(told(world.row, one, config)));
      }),
      { numRuns: runs(3_000) },
    );
  });

  test('of two messages of one cycle end the row by the hard failure, also when the passing ones reopened it first', () => {
    const start = aSent({ attempts: 2, evidence: [older, newer] });
    const failed = (providerMessageId: string, errorClass: 'transient' | 'refused'): News => ({
      kind: 'webhook',
      said: aWebhook({ verdict: 'failed', errorClass, providerMessageId }),
    });
    const hard = failed('m-0', 'refused');
    const passing = [failed('m-0', 'transient'), failed('m-1', 'transient')];
    for (const all of [
      [...passing, hard],
      [hard, ...passing],
    ])
      expect(told(start, all, { maxAttempts: 5 })).toMatchObject({
        status: 'Failed',
        final: 'failed-webhook',
      });
  });

  test('that were told once change nothing when all of them come again', () => {
    fc.assert(
      fc.property(histories, policies, ({ world, other }, config) => {
        const row = told(world.row, other, config);
        const again = told(
          row,
          other.filter(({ kind }) => kind === 'webhook'),
          config,
        );
        expect(again).toEqual(row);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('raise outcomeSeq only with a change of the end, and the newest outcome says what the row says', () => {
    fc.assert(
      fc.property(histories, policies, ({ world, other }, config) => {
        const row = told(world.row, other, config);
        if (row.final === null || row.outcomeSeq === world.row.outcomeSeq) return;
        expect(row.outcome).toMatchObject({ seq: row.outcomeSeq, status: row.status, reason: row.final });
        expect(row.outcomeSeq - world.row.outcomeSeq).toBeLessThanOrEqual(other.length);
      }),
      { numRuns: runs(500) },
    );
  });
});
