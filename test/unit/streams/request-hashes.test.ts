import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { NotificationRequest } from '../../../src/domain/request.ts';
import { payloadHash } from '../../../src/streams/payload-hash.ts';
import { recipientHasher } from '../../../src/streams/recipient-hash.ts';
import { aRequest, NOW_MS } from '../../support/a-notification.ts';

describe('the hash of a payload', () => {
  it('is SHA-256 over sorted JSON, and never changes', () => {
    const request = aRequest({ data: { b: '2', a: '1', '10': 'x', '9': 'y' }, notAfterMs: NOW_MS });
    const json =
      '{"body":{"html":null,"subject":"Hello","text":"Hello, Ada"},"channel":"email",' +
      '"data":{"10":"x","9":"y","a":"1","b":"2"},"inApp":null,"notAfter":1700000000000,"notBefore":null,' +
      '"recipient":"ada@example.com","template":null,"tenant":"tenant-1"}';
    expect(payloadHash(request)).toBe(createHash('sha256').update(json).digest('hex'));
  });

  it('is the same for the same payload, whatever its origin and order of keys', () => {
    const one = aRequest({ data: { a: '1', b: '2' }, correlationId: 'c-1', requestedAtMs: NOW_MS });
    const other = aRequest({ data: { b: '2', a: '1' }, correlationId: 'c-2', requestedAtMs: NOW_MS + 5 });
    expect(payloadHash(other)).toBe(payloadHash(one));
  });

  it.each([
    [{ tenantId: null }],
    [{ channel: 'sms' }],
    [{ recipient: 'bob@example.com' }],
    [{ template: { key: 'welcome', version: null, locale: null } }],
    [{ body: null }],
    [{ data: { a: '1' } }],
    [{ inApp: { userId: 'u', title: 't', body: '' } }],
    [{ notBeforeMs: NOW_MS }],
    [{ notAfterMs: NOW_MS }],
  ] as const)('differs when %j differs', (over) => {
    expect(payloadHash(aRequest(over as Partial<NotificationRequest>))).not.toBe(payloadHash(aRequest()));
  });
});

describe('the hash of a recipient', () => {
  it('is equal for equal recipients under one key, and different under another', () => {
    const [one, other] = [recipientHasher(Buffer.alloc(32, 1)), recipientHasher(Buffer.alloc(32, 2))];
    expect(one('ada@example.com')).toMatch(/^[0-9a-f]{64}$/);
    expect(one('ada@example.com')).toBe(recipientHasher(Buffer.alloc(32, 1))('ada@example.com'));
    expect(one('ada@example.com')).not.toBe(other('ada@example.com'));
    expect(one('ada@example.com')).not.toBe(one('bob@example.com'));
  });

  it('never changes', () => {
    expect(recipientHasher(Buffer.alloc(32, 1))('ada@example.com')).toBe(
      '5b857a94a3b5c8e6d7822094c75ce25e6f7f48bced3f82b1b45670559a56825b',
    );
  });
});
