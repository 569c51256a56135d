import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lookupOfAnswer, outcomeOfAnswer } from '../../../../src/providers/http/read-answer.ts';

const NOW_MS = 1_800_000_000_000;
const answer = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers,
  body: typeof body === 'string' || body === null ? body : JSON.stringify(body),
});
const read = (...args: Parameters<typeof answer>) => outcomeOfAnswer(answer(...args), NOW_MS);

describe('outcomeOfAnswer', () => {
  test('any 2xx with an id is accepted', () => {
    expect(read(202, { id: 'm-1' })).toEqual({ kind: 'accepted', providerMessageId: 'm-1' });
    expect(read(200, { id: 42 })).toEqual({ kind: 'accepted', providerMessageId: '42' });
  });

  test('an id keeps no control characters and at most 512 characters', () => {
    expect(read(200, { id: 'a\u0000b\n' })).toEqual({ kind: 'accepted', providerMessageId: 'ab' });
    expect(read(200, { id: 'x'.repeat(600) })).toEqual({
      kind: 'accepted',
      providerMessageId: 'x'.repeat(512),
    });
  });

  test.each([
    ['nothing', null],
    ['text', 'ok'],
    ['a list', '[{"id":"m-1"}]'],
    ['an empty id', { id: '' }],
    ['an id of control characters', { id: '\u0000' }],
    ['a number that lost digits', '{"id":4912661846655238145}'],
    ['an id that is an object', { id: {} }],
  ])('a 2xx with %s was accepted by somebody, and the answer is lost', (_, body) => {
    expect(read(200, body)).toMatchObject({ kind: 'unknown', phase: 'answer-lost' });
  });

  test.each([
    ['NTF_PROVIDER_INVALID_RECIPIENT', 'NTF_PROVIDER_INVALID_RECIPIENT'],
    ['invalid_recipient', 'NTF_PROVIDER_INVALID_RECIPIENT'],
    ['Invalid-Recipient', 'NTF_PROVIDER_INVALID_RECIPIENT'],
    ['push_token_invalid', 'NTF_PUSH_TOKEN_INVALID'],
    ['template_invalid', 'NTF_PROVIDER_TEMPLATE_INVALID'],
    ['blocked', 'NTF_PROVIDER_BLOCKED'],
  ])('%s is refused as %s, with or without the flag', (code, expected) => {
    const refused = { kind: 'refused', code: expected, providerCode: code };
    expect(read(422, { code, retriable: false })).toEqual(refused);
    expect(read(422, { code })).toEqual(refused);
  });

  test('retriable in the vendor’s own words is certain, whatever the status', () => {
    for (const status of [400, 408, 409, 500, 502, 503, 504])
      expect(read(status, { code: 'busy', retriable: true })).toEqual({
        kind: 'transient',
        providerCode: 'busy',
      });
  });

  test('the flag wins over a word: what the vendor calls retriable is tried again', () => {
    expect(read(422, { code: 'blocked', retriable: true }).kind).toBe('transient');
  });

  test('not retriable with a word we do not know is refused as blocked and keeps the word', () => {
    expect(read(400, { code: 'E-77', retriable: false })).toEqual({
      kind: 'refused',
      code: 'NTF_PROVIDER_BLOCKED',
      providerCode: 'E-77',
    });
  });

  test('a word we do not know without the flag is retriable and unclassified', () => {
    expect(read(400, { code: 'e77' })).toEqual({
      kind: 'transient',
      providerCode: 'e77',
      isUnclassified: true,
    });
  });

  test('a code without the flag on 5xx or 408 may be a gateway’s: unknown', () => {
    for (const status of [408, 500, 502, 504])
      expect(read(status, { code: 'GATEWAY_TIMEOUT' })).toEqual({
        kind: 'unknown',
        phase: 'sent',
        providerCode: 'GATEWAY_TIMEOUT',
      });
  });

  test.each([400, 409, 410, 422, 425, 500, 501, 502, 503, 504])(
    '%i without the shape is unknown',
    (status) => {
      expect(read(status, '<html>')).toEqual({
        kind: 'unknown',
        phase: 'sent',
        providerCode: `http_${status}`,
      });
      expect(read(status, null)).toMatchObject({ kind: 'unknown', phase: 'answer-lost' });
    },
  );

  test.each([300, 301, 302, 304, 307, 308, 401, 403, 404, 405, 407])(
    '%i without the shape is the channel’s fault',
    (status) => {
      expect(read(status, '<html>')).toEqual({ kind: 'misconfigured', providerCode: `http_${status}` });
    },
  );

  test('401 and 403 are the channel’s fault in the shape too', () => {
    for (const status of [401, 403])
      expect(read(status, { code: 'bad_key', retriable: false })).toEqual({
        kind: 'misconfigured',
        providerCode: 'bad_key',
      });
  });

  test('not_found as an answer to a call means a wrong URL', () => {
    expect(read(404, { code: 'not_found', retriable: false }).kind).toBe('misconfigured');
  });

  test('a code is sanitised', () => {
    expect(read(400, { code: 'no <ada@example.com>', retriable: true })).toEqual({
      kind: 'transient',
      providerCode: 'noadaexample.com',
    });
  });

  test('a vendor that has no such channel says so', () => {
    expect(read(501, { code: 'not_implemented', retriable: false })).toEqual({ kind: 'not-implemented' });
  });
});

describe('outcomeOfAnswer on rate limits', () => {
  const limited = (body: unknown, headers: Readonly<Record<string, string>> = {}, status = 429) => {
    const outcome = read(status, body, headers);
    const isLimited = outcome.kind === 'rate-limited';
    return { waitMs: isLimited ? outcome.retryAfterMs : -1, scope: isLimited ? outcome.scope : outcome.kind };
  };

  test('429 is certain without the shape; without a hint it names no wait', () => {
    expect(limited('slow down')).toEqual({ waitMs: null, scope: 'message' });
    expect(limited(null)).toEqual({ waitMs: null, scope: 'message' });
  });

  test('the code rate-limited on another status is the same', () => {
    expect(limited({ code: 'rate-limited', retriable: true, retryAfterMs: 1_500 }, {}, 503)).toEqual({
      waitMs: 1_500,
      scope: 'message',
    });
  });

  test('of two hints the longer counts', () => {
    expect(limited({ code: 'x', retriable: true, retryAfterMs: 1_500 }, { 'retry-after': '2' }).waitMs).toBe(
      2_000,
    );
    expect(limited({ code: 'x', retriable: true, retryAfterMs: 2_500 }, { 'retry-after': '2' }).waitMs).toBe(
      2_500,
    );
  });

  test('it is everybody’s when the body says so', () => {
    expect(limited({ code: 'x', retriable: true, scope: 'provider' }).scope).toBe('provider');
    expect(limited({ code: 'x', retriable: true, scope: 'account' }).scope).toBe('provider');
    expect(limited({ code: 'x', retriable: true, scope: 'recipient' }).scope).toBe('message');
  });
});

describe('lookupOfAnswer', () => {
  test('found, absent, or nothing known', () => {
    expect(lookupOfAnswer(answer(200, { id: 'm-1' }))).toEqual({ kind: 'found', providerMessageId: 'm-1' });
    expect(lookupOfAnswer(answer(404, { code: 'not_found', retriable: false }))).toEqual({ kind: 'absent' });
    expect(lookupOfAnswer(answer(404, '<html>'))).toEqual({ kind: 'unavailable', providerCode: 'http_404' });
    expect(lookupOfAnswer(answer(404, { code: 'no_route' }))).toEqual({
      kind: 'unavailable',
      providerCode: 'no_route',
    });
    expect(lookupOfAnswer(answer(500, { code: 'not_found' })).kind).toBe('unavailable');
    expect(lookupOfAnswer(answer(200, '{}')).kind).toBe('unavailable');
    expect(lookupOfAnswer(answer(200, null)).kind).toBe('unavailable');
  });
});

test('whatever a vendor answers is read without throwing, and never as accepted without an id', () => {
  const body = fc.oneof(
    fc.constant(null),
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .record(
        {
          id: fc.jsonValue(),
          code: fc.jsonValue(),
          retriable: fc.jsonValue(),
          retryAfterMs: fc.jsonValue(),
          scope: fc.jsonValue(),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  );
  const headers = fc.dictionary(fc.constantFrom('retry-after'), fc.string());
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 599 }), headers, body, (status, given, text) => {
      const outcome = outcomeOfAnswer({ status, headers: given, body: text }, NOW_MS);
      if (status >= 300) expect(outcome.kind).not.toBe('accepted');
      if (outcome.kind === 'accepted') expect(outcome.providerMessageId).toMatch(/^[^\p{Cc}]{1,512}$/u);
      else if ('providerCode' in outcome) expect(outcome.providerCode ?? '').toMatch(/^[\w.:-]{0,64}$/);
      if (outcome.kind === 'rate-limited') expect(outcome.retryAfterMs ?? 0).toBeGreaterThanOrEqual(0);
      expect(lookupOfAnswer({ status, headers: given, body: text }).kind).toMatch(/found|absent|unavailable/);
    }),
    { numRuns: 500 },
  );
});
