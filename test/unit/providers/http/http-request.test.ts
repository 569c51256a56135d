import { describe, expect, test } from 'vitest';
import { isSigned } from '../../../../src/lab/vendor-signature.ts';
import { httpRequests } from '../../../../src/providers/http/http-request.ts';
import { signer } from '../../../../src/providers/http/signature.ts';
import { aCall, anId } from '../a-call.ts';

const NOW_MS = 1_800_000_000_000;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('httpRequests', () => {
  const requests = httpRequests('http://vendor.example/v1/send/?k=1', signer(null), 15_000);

  test('a call is one POST with the reference, the content and the key', () => {
    const call = aCall({
      attempt: 2,
      template: { key: 'welcome', version: '3', locale: null },
      body: null,
      data: { name: 'Ada' },
      notAfterMs: NOW_MS,
    });
    const request = requests.call(call, NOW_MS);

    expect([request.method, request.path]).toEqual(['POST', '/v1/send/?k=1']);
    expect(request.headers['idempotency-key']).toBe(`${anId()}:1`);
    expect(JSON.parse(request.body ?? '')).toEqual({
      reference: anId(),
      cycle: 1,
      attempt: 2,
      channel: 'email',
      recipient: 'ada@example.com',
      content: {
        template: { key: 'welcome', version: '3', locale: null },
        body: null,
        data: { name: 'Ada' },
      },
      notAfter: '2027-01-15T08:00:00.000Z',
    });
  });

  test('without notAfter and without a secret neither is sent', () => {
    const request = requests.call(aCall(), NOW_MS);

    expect(request.body).not.toContain('notAfter');
    expect(Object.keys(request.headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  });

  test('a lookup goes below the URL and keeps its query', () => {
    expect(requests.lookup(anId(), 3, NOW_MS).path).toBe(`/v1/send/${anId()}?k=1&cycle=3`);
    expect(httpRequests('http://vendor.example', signer(null), 1).lookup(anId(), 3, NOW_MS).path).toBe(
      `/${anId()}?cycle=3`,
    );
  });
});

describe('signer', () => {
  test('signs the published example of Standard Webhooks', () => {
    const headers = signer(SECRET)('msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}', 1_614_265_330_000);

    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test.each([SECRET, 'a secret in plain words, ключ'])('a second implementation accepts it: %s', (secret) => {
    const body = '{"text":"Привет"}';
    const headers = signer(secret)('id:1', body, NOW_MS);

    expect(isSigned(secret, headers, Buffer.from(body), NOW_MS + 1_000)).toBe(true);
    expect(isSigned(secret, headers, Buffer.from(`${body} `), NOW_MS)).toBe(false);
    expect(isSigned(`${secret}x1x1`, headers, Buffer.from(body), NOW_MS)).toBe(false);
    expect(isSigned(secret, headers, Buffer.from(body), NOW_MS + 600_000)).toBe(false);
    expect(isSigned(secret, {}, Buffer.from(body), NOW_MS)).toBe(false);
  });
});
