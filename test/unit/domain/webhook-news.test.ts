import { describe, expect, test } from 'vitest';
import { isUnclassified, newsOf } from '../../../src/domain/webhook-news.ts';
import { aWebhook } from '../../support/a-notification.ts';

const failed = (over: object) => newsOf(aWebhook({ verdict: 'failed', ...over }));

describe('a report of a failure', () => {
  test.each([
    ['transient', 'failed-transient', 'NTF_PROVIDER_TRANSIENT'],
    ['rate-limited', 'failed-transient', 'NTF_PROVIDER_RATE_LIMITED'],
    ['refused', 'failed-hard', 'NTF_PROVIDER_INVALID_RECIPIENT'],
    ['blocked', 'failed-hard', 'NTF_PROVIDER_BLOCKED'],
    ['cancelled', 'failed-hard', 'NTF_PROVIDER_BLOCKED'],
  ] as const)('of class %s is %s, with code %s', (errorClass, verdict, code) => {
    expect(failed({ errorClass, errorCode: '550' })).toEqual({
      verdict,
      error: { code, errorClass, providerCode: '550' },
    });
  });

  test.each([
    ['NTF_PROVIDER_RATE_LIMITED', 'rate-limited', 'failed-transient'],
    ['NTF_PROVIDER_INVALID_RECIPIENT', 'refused', 'failed-hard'],
    ['NTF_PUSH_TOKEN_INVALID', 'refused', 'failed-hard'],
    ['NTF_PROVIDER_TEMPLATE_INVALID', 'refused', 'failed-hard'],
    ['NTF_PROVIDER_BLOCKED', 'blocked', 'failed-hard'],
    ['NTF_EXPIRED', 'transient', 'failed-transient'],
  ])('of code %s alone is %s: %s', (code, errorClass, verdict) => {
    expect(failed({ errorCode: code })).toEqual({ verdict, error: { code, errorClass, providerCode: null } });
  });

  test('that names nothing is passing', () => {
    expect(failed({})).toEqual({
      verdict: 'failed-transient',
      error: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: null },
    });
  });

  test.each([
    [{}, true],
    [{ errorCode: '550' }, true],
    [{ errorCode: 'NTF_PROVIDER_BLOCKED' }, false],
    [{ errorClass: 'refused' }, false],
    [{ errorClass: 'refused', errorCode: '550' }, false],
    [{ verdict: 'delivered' }, false],
  ] as const)('is unclassified when nothing of ours is in it: %j %s', (over, isSo) => {
    expect(isUnclassified(aWebhook({ verdict: 'failed', ...over }))).toBe(isSo);
  });
});

test('whether the message arrived is said by a delivery only', () => {
  expect(newsOf(aWebhook())).toEqual({ verdict: 'delivered' });
  for (const verdict of ['read', 'complained', 'unsubscribed'] as const)
    expect(newsOf(aWebhook({ verdict }))).toBeNull();
});
