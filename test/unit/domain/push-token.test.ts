import { describe, expect, test } from 'vitest';
import type { FinalOutcome, Notification } from '../../../src/domain/notification.ts';
import { invalidTokenOf } from '../../../src/domain/push-token.ts';
import { aNotification, NOW_MS } from '../../support/a-notification.ts';

const refused = (over: Partial<Notification> = {}, outcome: Partial<FinalOutcome> = {}): Notification =>
  aNotification({
    ...{ channel: 'push', status: 'Failed', final: 'refused', firstAttemptAtMs: NOW_MS - 5_000 },
    outcome: {
      providerKey: 'mail',
      error: { code: 'NTF_PUSH_TOKEN_INVALID', errorClass: 'refused', providerCode: 'gone' },
      tokenInvalidSinceMs: NOW_MS - 1_000,
      ...outcome,
    } as FinalOutcome,
    ...over,
  });

describe('a token that its provider called nobody’s', () => {
  test('is meant as it was before the call that learnt it', () => {
    expect(invalidTokenOf(refused())).toEqual({
      ...{ tenantId: 'tenant-1', providerKey: 'mail', sinceMs: NOW_MS - 1_000 },
    });
  });

  test('is meant as it was before the first call when a webhook told it', () => {
    const { tokenInvalidSinceMs: _, ...untimed } = refused().outcome ?? {};
    const row = { ...refused(), outcome: untimed as FinalOutcome };
    expect(invalidTokenOf(row)).toMatchObject({ sinceMs: NOW_MS - 5_000 });
    expect(invalidTokenOf({ ...row, firstAttemptAtMs: null })).toBeNull();
  });

  test.each([
    ['another channel', refused({ channel: 'email' })],
    ['no outcome', refused({ outcome: null })],
    ['an outcome without an error', refused({}, { error: null })],
    [
      'another refusal',
      refused({}, { error: { code: 'NTF_PROVIDER_BLOCKED', errorClass: 'blocked', providerCode: null } }),
    ],
    ['no provider', refused({}, { providerKey: null })],
  ])('is none with %s', (_, row) => {
    expect(invalidTokenOf(row)).toBeNull();
  });
});
