// Answers after which nobody can say that the attempt failed: it is given back, in doubt, or known already from elsewhere.
import { describe, expect, test } from 'vitest';
import type { CallOutcome } from '../../../src/domain/call-outcome.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { MessageEvidence, Notification, Verdict } from '../../../src/domain/notification.ts';
import { settleAnswer } from '../../../src/domain/settle.ts';
import {
  aClaim,
  aClaimed,
  aDoubt,
  anAnswer,
  type FactsOver,
  LEASE_MS,
  LOST,
  MISCONFIGURED,
  NOT_IMPLEMENTED,
  NOW_MS,
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
const LIMITED: CallOutcome = { kind: 'rate-limited', retryAfterMs: 1, scope: 'message', providerCode: '429' };

describe('a fault of the channel', () => {
  test('gives the attempt back and waits, without touching status', () => {
    expect(settled(aClaimed({ attempts: 3 }), MISCONFIGURED)).toMatchObject({
      next: {
        status: 'Pending',
        attempts: 2,
        claim: null,
        lastError: { code: 'NTF_PROVIDER_MISCONFIGURED', providerCode: '401' },
      },
      wake: { kind: 'after', waitMs: 30_000, inLog: true },
      isNextAttempt: false,
    });
  });

  test('waits for the gate that it closed', () => {
    const gate = { kind: 'closed', waitMs: 77_000 } as const;
    expect(settled(aClaimed(), MISCONFIGURED, { gate })).toMatchObject({ wake: { waitMs: 77_000 } });
  });

  test.each([MISCONFIGURED, NOT_IMPLEMENTED])(
    '($kind) leaves an earlier doubt as before the claim',
    (outcome) => {
      const doubt = aDoubt({ resolution: 'resend' });
      expect(settled(aClaimed({ attempts: 2, unknown: doubt }), outcome)?.next).toMatchObject({
        attempts: 1,
        unknown: doubt,
      });
    },
  );

  test.each([MISCONFIGURED, NOT_IMPLEMENTED])('($kind) takes no attempt from a takeover', (outcome) => {
    const row = aClaimed({ claim: aClaim({ takeovers: 1 }), unknown: aDoubt() });
    expect(settled(row, outcome)?.next).toMatchObject({ attempts: 1, claim: null, unknown: aDoubt() });
  });

  test('a stub holds the row with its code, without an attempt', () => {
    expect(settled(aClaimed(), NOT_IMPLEMENTED)).toMatchObject({
      next: {
        hold: 'channel-stub',
        attempts: 0,
        claim: null,
        lastError: { code: 'NTF_PROVIDER_NOT_IMPLEMENTED', errorClass: 'not-implemented' },
      },
      wake: { kind: 'none' },
    });
  });
});

describe('a lost answer', () => {
  test('leaves the row Failed and uncertain until the same key is used again', () => {
    expect(settled(aClaimed(), LOST)).toMatchObject({
      next: {
        status: 'Failed',
        final: null,
        claim: null,
        attempts: 1,
        lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'unknown', providerCode: 'timeout' },
        unknown: { attempt: 1, providerKey: 'mail', sinceMs: NOW_MS, resolution: 'retry' },
      },
      wake: { kind: 'after', waitMs: 30_000 },
      isNextAttempt: true,
    });
  });

  test('is looked up only after the lease is over and the message can be seen', () => {
    const providers = [{ capability: 'lookup', visibilityDelayMs: 5_000 }] as const;
    expect(settled(aClaimed(), LOST, { providers })).toMatchObject({
      wake: { kind: 'after', waitMs: LEASE_MS + 5_000 },
    });
  });
});

describe('an answer to a claim beside which an acceptance was recorded', () => {
  test.each([TRANSIENT, LOST, REFUSED, LIMITED, MISCONFIGURED, NOT_IMPLEMENTED])(
    'ends as Sent whatever it says ($kind)',
    (outcome) => {
      const row = aClaimed({ attempts: 2, evidence: known('accepted') });
      expect(settled(row, outcome)?.next).toMatchObject({
        status: 'Sent',
        final: 'accepted',
        claim: null,
        providerMessageId: 'm-1',
        attempts: outcome === MISCONFIGURED || outcome === NOT_IMPLEMENTED ? 1 : 2,
      });
    },
  );

  test('counts a message of an older cycle, as it would have counted right after the claim', () => {
    const next = settled(aClaimed({ cycle: 1, evidence: known('accepted') }), TRANSIENT)?.next;
    expect(next).toMatchObject({ status: 'Sent', final: 'accepted', cycle: 1 });
  });

  test('does not count a message that failed', () => {
    expect(settled(aClaimed({ evidence: known('failed-hard') }), TRANSIENT)?.next.final).toBeNull();
  });
});
