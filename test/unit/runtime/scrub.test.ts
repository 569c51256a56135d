import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LOGGED_CHARS, scrubText } from '../../../src/runtime/scrub.ts';

describe('scrubText', () => {
  it.each([
    ['no mailbox for ann.smith+tag@example.org here', 'no mailbox for <address> here'],
    ['cannot reach +49 (151) 2345-6789 now', 'cannot reach <number> now'],
    ['+79991234567', '<number>'],
    ['GET /bot123456789:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr/sendMessage', 'GET /bot***/sendMessage'],
    ['Authorization: Bearer abcdef.ghijkl', 'Authorization=*** ***'],
    ['{"access_token":"abc","ok":false}', '{access_token=***","ok":false}'],
    ['connect postgres://pin:hunter2@db:5432/pin failed', 'connect postgres://***@db:5432/pin failed'],
    ['two\r\nlines', 'two lines'],
  ])('hides what is private in %j', (text, expected) => {
    expect(scrubText(text)).toBe(expected);
  });

  it.each([
    '0d4f8c1e-3b7a-4a51-9c55-123456789012',
    '123456789012345',
    'attempt 2 of 0d4f8c1e-3b7a-4a51-9c55-123456789012 at 2026-11-29T18:49:57.123Z',
    'NTF_PROVIDER_TRANSIENT',
    'connect ECONNREFUSED 127.0.0.1:9092',
  ])('keeps %j', (text) => {
    expect(scrubText(text)).toBe(text);
  });

  it('is bounded and one line for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000 }), (text) => {
        const scrubbed = scrubText(text);
        expect(scrubbed.length).toBeLessThanOrEqual(MAX_LOGGED_CHARS);
        expect(scrubbed).not.toMatch(/[\r\n\0]/);
      }),
    );
  });

  it('takes milliseconds for the most hostile text', () => {
    const started = performance.now();
    for (const piece of ['1 ', 'a@', 'token=', '(1)-', '"token']) scrubText(piece.repeat(500_000));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
