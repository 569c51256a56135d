import { describe, expect, test } from 'vitest';
import { endBudget, failAttempt } from '../../../src/domain/failure.ts';
import { aClaimed, aDoubt, aNotification, NOW_MS, someFacts } from '../../support/a-notification.ts';

const error = { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: null } as const;

describe('failAttempt', () => {
  test('leaves nothing claimed or held', () => {
    const row = aClaimed({ hold: 'paused tenant:tenant-1' });
    expect(failAttempt(row, error, 0, someFacts()).next).toMatchObject({
      claim: null,
      hold: null,
      status: 'Failed',
    });
  });

  test('spreads by the draw of the decision', () => {
    expect(failAttempt(aClaimed(), error, 0, someFacts({ fraction: 0.5 }))).toMatchObject({
      wake: { waitMs: 31_500 },
    });
  });

  test('a wait that ends with notAfter is an end, not an attempt', () => {
    const row = aClaimed({ notAfterMs: NOW_MS + 30_000 });
    expect(failAttempt(row, error, 0, someFacts()).isNextAttempt).toBe(false);
    expect(failAttempt({ ...row, notAfterMs: NOW_MS + 30_001 }, error, 0, someFacts()).isNextAttempt).toBe(
      true,
    );
  });
});

describe('endBudget', () => {
  test('without a known error says that the provider failed', () => {
    expect(endBudget(aNotification(), null, someFacts()).next).toMatchObject({
      final: 'exhausted',
      outcome: { error: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient' } },
    });
  });

  test('is no certain end while a call may have been accepted', () => {
    expect(endBudget(aNotification({ unknown: aDoubt() }), error, someFacts()).next.final).toBeNull();
  });
});
