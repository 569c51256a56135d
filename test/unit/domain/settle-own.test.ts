// The answer of a call that the row still waits for.
import { describe, expect, test } from 'vitest';
import type { CallOutcome } from '../../../src/domain/call-outcome.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { MessageEvidence, Notification, Verdict } from '../../../src/domain/notification.ts';
import { settleAnswer } from '../../../src/domain/settle.ts';
import {
  ACCEPTED,
  aClaimed,
  aDoubt,
  anAnswer,
  type FactsOver,
  NOW_MS,
  PUBLISH_WITHIN_MS,
  REFUSED,
  someFacts,
  TRANSIENT,
} from '../../support/a-notification.ts';

function settled(row: Notification, outcome: CallOutcome, over: FactsOver = {}): Change | null {
  const attempt = row.claim?.attempt ?? 1;
  return settleAnswer(row, anAnswer(outcome, { attempt, cycle: row.cycle }), someFacts(over));
}
const known = (verdict: Verdict): readonly MessageEvidence[] => [
  { messageId: 'm-1', cycle: 0, attempt: 1, verdict },
];
const limited = (retryAfterMs: number | null): CallOutcome => ({
  kind: 'rate-limited',
  retryAfterMs,
  scope: 'message',
  providerCode: '429',
});

describe('an accepted call', () => {
  test('ends the row as Sent and owes one outcome', () => {
    expect(settled(aClaimed({ attempts: 2 }), ACCEPTED)).toMatchObject({
      next: {
        status: 'Sent',
        final: 'accepted',
        claim: null,
        attempts: 2,
        providerMessageId: 'm-1',
        evidence: [{ messageId: 'm-1', cycle: 0, attempt: 2, verdict: 'accepted' }],
        outcomeSeq: 1,
        publishedSeq: 0,
        outcome: {
          schemaVersion: 1,
          seq: 1,
          supersedes: null,
          status: 'Sent',
          reason: 'accepted',
          providerKey: 'mail',
          cycle: 0,
          attempts: 2,
          maxAttempts: 5,
          providerMessageId: 'm-1',
          error: null,
          evidence: 'accepted',
        },
      },
      wake: { kind: 'after', waitMs: PUBLISH_WITHIN_MS, inLog: false },
      isNextAttempt: false,
      trail: 'accepted n=2 message=m-1',
    });
  });

  test('supersedes the outcome before it, which is published by then', () => {
    const row = aClaimed({ outcomeSeq: 3, publishedSeq: 3, cycle: 1 });
    expect(settled(row, ACCEPTED)?.next).toMatchObject({
      outcomeSeq: 4,
      publishedSeq: 3,
      outcome: { seq: 4, supersedes: 3, cycle: 1 },
    });
  });

  test('ends every doubt', () => {
    expect(settled(aClaimed({ attempts: 2, unknown: aDoubt() }), ACCEPTED)?.next.unknown).toBeNull();
  });

  test('whose delivery was reported first is Sent as delivered', () => {
    expect(settled(aClaimed({ evidence: known('delivered') }), ACCEPTED)?.next).toMatchObject({
      status: 'Sent',
      final: 'delivered',
      outcome: { evidence: 'delivered' },
    });
  });

  test('whose transient bounce was reported first is a failed attempt', () => {
    expect(settled(aClaimed({ evidence: known('failed-transient') }), ACCEPTED)).toMatchObject({
      next: { status: 'Failed', final: null, providerMessageId: 'm-1', outcomeSeq: 0 },
      wake: { kind: 'after', waitMs: 30_000 },
      isNextAttempt: true,
    });
  });

  test('whose hard bounce was reported first is terminal at once', () => {
    expect(settled(aClaimed({ evidence: known('failed-hard') }), ACCEPTED)?.next).toMatchObject({
      status: 'Failed',
      final: 'failed-webhook',
      outcome: { evidence: 'failed-webhook', providerMessageId: 'm-1' },
    });
  });
});

describe('a certain failure', () => {
  test('waits by backoff for the next attempt and emits nothing', () => {
    expect(settled(aClaimed({ attempts: 3 }), TRANSIENT)).toMatchObject({
      next: {
        status: 'Failed',
        final: null,
        claim: null,
        attempts: 3,
        outcomeSeq: 0,
        lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: '503' },
      },
      wake: { kind: 'after', waitMs: 120_000, inLog: true },
      isNextAttempt: true,
      trail: 'transient n=3 code=NTF_PROVIDER_TRANSIENT said=503 wait=120000',
    });
  });

  test('of the last attempt is terminal Failed, told once', () => {
    expect(settled(aClaimed({ attempts: 5 }), TRANSIENT)?.next).toMatchObject({
      status: 'Failed',
      final: 'exhausted',
      attempts: 5,
      outcomeSeq: 1,
      outcome: { reason: 'exhausted', attempts: 5, maxAttempts: 5, evidence: 'none' },
    });
  });

  test('of one attempt with a MaxAttempts of one is the end', () => {
    expect(settled(aClaimed(), TRANSIENT, { config: { maxAttempts: 1 } })?.next.final).toBe('exhausted');
  });

  test('leaves an earlier doubt marked', () => {
    const row = aClaimed({ attempts: 2, unknown: aDoubt() });
    expect(settled(row, TRANSIENT)?.next).toMatchObject({
      unknown: aDoubt(),
      lastError: { errorClass: 'transient' },
    });
  });

  test('of the last attempt ends by the unknown policy while an earlier call is in doubt', () => {
    const row = aClaimed({ attempts: 5, unknown: aDoubt() });
    expect(settled(row, TRANSIENT)?.next).toMatchObject({ final: null, unknown: { resolution: 'held' } });
    expect(settled(row, TRANSIENT, { config: { onUnknown: 'assume-sent' } })?.next.final).toBe('assumed');
    expect(settled(row, TRANSIENT, { config: { onUnknown: 'resend' } })?.next.final).toBe('unknown-outcome');
  });

  test('never waits beyond notAfter, and then no next attempt is announced', () => {
    expect(settled(aClaimed({ notAfterMs: NOW_MS + 30_000 }), TRANSIENT)).toMatchObject({
      wake: { kind: 'at', atMs: NOW_MS + 30_000, inLog: true },
      isNextAttempt: false,
    });
  });

  test('is counted by the default budget when the channel lost its configuration', () => {
    expect(settled(aClaimed({ attempts: 4 }), TRANSIENT, { config: null })?.next.final).toBeNull();
    expect(settled(aClaimed({ attempts: 5 }), TRANSIENT, { config: null })?.next.final).toBe('exhausted');
  });
});

describe('a rate limit', () => {
  test('without a time waits by backoff', () => {
    expect(settled(aClaimed(), limited(null))).toMatchObject({
      next: { lastError: { code: 'NTF_PROVIDER_RATE_LIMITED', errorClass: 'rate-limited' }, attempts: 1 },
      wake: { kind: 'after', waitMs: 30_000 },
    });
  });

  test('with a time beyond the backoff cap waits for all of it', () => {
    expect(settled(aClaimed(), limited(7_200_000))).toMatchObject({
      wake: { kind: 'after', waitMs: 7_200_000, inLog: false },
      isNextAttempt: true,
    });
  });

  test('never waits less than the backoff', () => {
    expect(settled(aClaimed(), limited(1))).toMatchObject({ wake: { waitMs: 30_000 } });
  });

  test('is spread after its time by at most a tenth and at most the base', () => {
    expect(settled(aClaimed(), limited(100_000), { fraction: 0.5 })).toMatchObject({
      wake: { waitMs: 105_000 },
    });
    expect(settled(aClaimed(), limited(7_200_000), { fraction: 0.5 })).toMatchObject({
      wake: { waitMs: 7_230_000 },
    });
  });

  test('is bounded only by notAfter', () => {
    const row = aClaimed({ notAfterMs: NOW_MS + 60_000 });
    expect(settled(row, limited(7_200_000))).toMatchObject({ wake: { kind: 'at', atMs: NOW_MS + 60_000 } });
  });
});

describe('a refusal', () => {
  test.each([
    ['NTF_PROVIDER_INVALID_RECIPIENT', 'refused'],
    ['NTF_PUSH_TOKEN_INVALID', 'refused'],
    ['NTF_PROVIDER_TEMPLATE_INVALID', 'refused'],
    ['NTF_PROVIDER_BLOCKED', 'blocked'],
  ] as const)('%s is terminal at the first attempt, as %s', (code, errorClass) => {
    expect(settled(aClaimed(), { kind: 'refused', code, providerCode: 'x' })?.next).toMatchObject({
      status: 'Failed',
      final: 'refused',
      attempts: 1,
      outcome: { reason: 'refused', error: { code, errorClass, providerCode: 'x' } },
    });
  });

  test('of a repeat ends an earlier doubt too', () => {
    expect(settled(aClaimed({ attempts: 2, unknown: aDoubt() }), REFUSED)?.next).toMatchObject({
      final: 'refused',
      unknown: null,
    });
  });
});
