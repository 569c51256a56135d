import { describe, expect, test } from 'vitest';
import { expire, finish } from '../../../src/domain/finish.ts';
import {
  aClaimed,
  aDoubt,
  aNotification,
  PUBLISH_WITHIN_MS,
  someFacts,
} from '../../support/a-notification.ts';

const ending = {
  status: 'Failed',
  reason: 'refused',
  error: null,
  providerMessageId: null,
  evidence: 'none',
  trail: 'refused',
} as const;

describe('finish', () => {
  test('clears everything that was going on and owes the next outcome', () => {
    const row = aClaimed({ unknown: aDoubt(), outcomeSeq: 1, publishedSeq: 1, inAppStatus: 'arrived' });
    expect(finish(row, ending, someFacts())).toMatchObject({
      next: {
        status: 'Failed',
        final: 'refused',
        claim: null,
        unknown: null,
        hold: null,
        inAppStatus: 'arrived',
        publishedSeq: 1,
        outcomeSeq: 2,
        outcome: { seq: 2, supersedes: 1 },
      },
      wake: { kind: 'after', waitMs: PUBLISH_WITHIN_MS, inLog: false },
      isNextAttempt: false,
    });
  });

  test('the earlier outcome counts as published, because publishing comes first', () => {
    expect(finish(aNotification({ outcomeSeq: 4, publishedSeq: 3 }), ending, someFacts()).next).toMatchObject(
      {
        publishedSeq: 4,
        outcomeSeq: 5,
      },
    );
  });

  test('a copy that nobody saw before the end is not shown after it', () => {
    expect(finish(aNotification({ inAppStatus: 'waiting' }), ending, someFacts()).next.inAppStatus).toBe(
      'none',
    );
  });

  test('an end without an error keeps the last one on the row and none in the outcome', () => {
    const lastError = {
      code: 'NTF_PROVIDER_TRANSIENT',
      errorClass: 'transient',
      providerCode: null,
    } as const;
    expect(finish(aNotification({ lastError }), ending, someFacts()).next).toMatchObject({
      lastError,
      outcome: { error: null },
    });
  });

  test('the outcome names the provider of the last claim, or the one in force when there was none', () => {
    const over = { config: { providerKey: 'new' } };
    expect(
      finish(aNotification({ providerKey: 'old' }), ending, someFacts(over)).next.outcome?.providerKey,
    ).toBe('old');
    expect(finish(aNotification(), ending, someFacts(over)).next.outcome?.providerKey).toBe('new');
    expect(finish(aNotification(), ending, someFacts({ config: null })).next.outcome?.providerKey).toBeNull();
  });
});

describe('expire', () => {
  test('is terminal Failed with its own code', () => {
    expect(expire(aNotification(), someFacts()).next).toMatchObject({
      status: 'Failed',
      final: 'expired',
      lastError: { code: 'NTF_EXPIRED', errorClass: 'expired' },
      outcome: { reason: 'expired', evidence: 'none' },
    });
  });
});
