import { describe, expect, test } from 'vitest';
import { outcomeOfFailure } from '../../../src/providers/transport-outcome.ts';

const failure = (code: string, syscall?: string) => Object.assign(new Error('x'), { code, syscall });

describe('outcomeOfFailure', () => {
  test.each([
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'EHOSTUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
    'EPROTO',
    'ECONNRESET',
  ])('%s while connecting is certain', (code) => {
    expect(outcomeOfFailure('connecting', failure(code))).toEqual({ kind: 'transient', providerCode: code });
  });

  test.each([
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('a certificate that is not trusted (%s) is the channel’s fault', (code) => {
    expect(outcomeOfFailure('connecting', failure(code)).kind).toBe('misconfigured');
  });

  test.each(['ECONNRESET', 'UND_ERR_SOCKET', 'HPE_INVALID_CONSTANT', 'ETIMEDOUT'])(
    '%s after the request left is unknown',
    (code) => {
      expect(outcomeOfFailure('sent', failure(code, 'read'))).toEqual({
        kind: 'unknown',
        phase: 'sent',
        providerCode: code,
      });
    },
  );

  test('a write that the kernel refused is certain: the body never left whole', () => {
    expect(outcomeOfFailure('sent', failure('EPIPE', 'write')).kind).toBe('transient');
    expect(outcomeOfFailure('sent', failure('ECONNRESET', 'write')).kind).toBe('transient');
  });

  test('the deadline is certain before the request left and unknown after', () => {
    expect(outcomeOfFailure('connecting', null)).toEqual({ kind: 'transient', providerCode: 'deadline' });
    expect(outcomeOfFailure('sent', null)).toEqual({
      kind: 'unknown',
      phase: 'sent',
      providerCode: 'deadline',
    });
  });

  test('something without a code is named by its name, and nothing of its text is kept', () => {
    expect(outcomeOfFailure('connecting', new TypeError('ada@example.com'))).toEqual({
      kind: 'transient',
      providerCode: 'TypeError',
    });
    expect(outcomeOfFailure('sent', 'text').kind).toBe('unknown');
  });
});
