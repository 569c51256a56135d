import { beforeAll, describe, expect, it } from 'vitest';
import type { LogRecord } from '../../../src/broker/log.ts';
import type { NotificationRequest } from '../../../src/domain/request.ts';
import { recipientHasher } from '../../../src/streams/recipient-hash.ts';
import { decodeRequested, encodeRequest, requestProblem } from '../../../src/streams/requested.ts';
import { anId, aRequest, NOW_MS } from '../../support/a-notification.ts';
import { aCodec, type CodecWorld, received, textHeaders } from './a-codec.ts';

const hashRecipient = recipientHasher(Buffer.from('a key of at least 32 bytes, for tests'));
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a request on requested.v1', () => {
  let world: CodecWorld;
  beforeAll(async () => {
    world = await aCodec();
  });

  const recordOf = (over: Partial<NotificationRequest> = {}, record: Partial<LogRecord> = {}) =>
    received(encodeRequest(world.topics, world.codec, aRequest(over), null), record);
  const decode = (record: LogRecord) => decodeRequested({ codec: world.codec, hashRecipient }, record);
  const verdict = async (record: LogRecord) => {
    const answer = await decode(record);
    if (answer.kind === 'violation')
      return answer.field === null ? answer.reason : `${answer.reason} ${answer.field}`;
    return answer.kind;
  };

  it('comes back as it was asked for', async () => {
    const request = aRequest({
      template: { key: 'welcome', version: null, locale: 'de' },
      body: null,
      data: { name: 'Ada', items: '[1,2]' },
      inApp: { userId: 'user-1', title: 'Hello', body: '' },
      notBeforeMs: NOW_MS,
      notAfterMs: NOW_MS + 1,
      parentId: anId(9),
      correlationId: 'c-1',
      attributes: { campaign: 'autumn' },
    });
    const record = received(encodeRequest(world.topics, world.codec, request, TRACE));
    const answer = await decode(record);
    expect(answer).toMatchObject({
      kind: 'decoded',
      value: { request, content: { request, traceparent: TRACE } },
    });
  });

  it('names itself in CloudEvents headers', () => {
    const request = aRequest({ correlationId: 'c-1', causationId: 'k-1' });
    const { headers } = encodeRequest(world.topics, world.codec, request, TRACE);
    expect(textHeaders({ headers })).toEqual({
      ce_specversion: '1.0',
      ce_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      ce_source: '/pin/notifications',
      ce_type: 'NotificationRequested',
      ce_time: '2023-11-14T22:13:20.000Z',
      ce_subject: anId(),
      ce_tenantid: 'tenant-1',
      ce_correlationid: 'c-1',
      ce_causationid: 'k-1',
      traceparent: TRACE,
    });
  });

  it('is skipped when it says that it is something else, and taken when it says nothing', async () => {
    expect(await verdict(recordOf({}, { headers: { ce_type: Buffer.from('OrderPlaced') } }))).toBe('skipped');
    expect(await verdict(recordOf({}, { headers: {} }))).toBe('decoded');
    const elsewhere = { key: null, value: null, headers: { ce_type: Buffer.from('OrderPlaced') } };
    expect(await verdict(recordOf({}, elsewhere))).toBe('skipped');
  });

  it('needs a key that is its own notification id', async () => {
    expect(await verdict(recordOf({}, { key: null }))).toBe('null-key');
    expect(await verdict(recordOf({}, { key: Buffer.alloc(0) }))).toBe('key-not-uuid');
    expect(await verdict(recordOf({}, { key: Buffer.from('order-17') }))).toBe('key-not-uuid');
    expect(await verdict(recordOf({}, { key: Buffer.alloc(16, 7) }))).toBe('key-not-uuid');
    expect(await verdict(recordOf({}, { key: Buffer.from(anId(2)) }))).toBe('key-mismatch notificationId');
  });

  it('is the same notification in upper case', async () => {
    const id = 'ABCDEF00-0000-4000-8000-000000000001';
    const record = recordOf({ notificationId: id as never }, { key: Buffer.from(id) });
    expect(await decode(record)).toMatchObject({ value: { request: { notificationId: id.toLowerCase() } } });
  });

  it('is no JSON', async () => {
    const value = Buffer.from(JSON.stringify(aRequest()));
    expect(await verdict(recordOf({}, { value }))).toBe('bad-magic');
    expect(await verdict(recordOf({}, { value: null }))).toBe('undecodable');
  });

  const body = { subject: null, text: null, html: null };
  const template = { key: 'welcome', version: null, locale: null };
  const inApp = { userId: 'user-1', title: 'Hello', body: 'Hello' };
  it.each([
    ['unknown-channel channel', { channel: 'fax' as never }],
    ['unknown-channel channel', { channel: '' as never }],
    ['unknown-channel channel', { channel: 'Email' as never }],
    ['recipient-list recipient', { recipient: '["ada@example.com"]' }],
    ['recipient-list recipient', { recipient: 'a@b.example,c@d.example' }],
    ['invalid-field recipient', { recipient: '  ' }],
    ['invalid-field recipient', { recipient: 'ada@example.com\r\nBcc: x' }],
    ['invalid-field recipient', { recipient: 'a'.repeat(4_097) }],
    ['invalid-field tenantId', { tenantId: '' }],
    ['invalid-field tenantId', { tenantId: 't'.repeat(129) }],
    ['invalid-field template', { template: null, body: null }],
    ['invalid-field template', { template, body: { ...body, text: 'x' } }],
    ['invalid-field template.key', { template: { ...template, key: '' }, body: null }],
    ['invalid-field body', { body }],
    ['invalid-field body', { body: { ...body, text: ' \n' } }],
    ['invalid-field body.subject', { body: { ...body, subject: 's'.repeat(999) } }],
    ['invalid-field body.text', { body: { ...body, text: 'nul \0' } }],
    ['invalid-field data', { data: { ['k'.repeat(129)]: 'v' } }],
    ['invalid-field data', { data: { k: '\0' } }],
    [
      'invalid-field data',
      { data: Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`k${i}`, ''])) },
    ],
    ['invalid-field attributes', { attributes: { k: 'v'.repeat(1_025) } }],
    ['invalid-field inApp.title', { inApp: { ...inApp, title: ' ' } }],
    ['invalid-field inApp.userId', { channel: 'in-app', recipient: 'user-2', inApp }],
    ['invalid-field requestedAt', { requestedAtMs: 1_700_000_000 }],
    ['invalid-field requestedAt', { requestedAtMs: 1_700_000_000_000_000 }],
    ['invalid-field notBefore', { notBeforeMs: -1 }],
    ['invalid-field notAfter', { notBeforeMs: NOW_MS, notAfterMs: NOW_MS }],
    ['invalid-field parentId', { parentId: 'order-17' }],
    ['invalid-field correlationId', { correlationId: 'c'.repeat(129) }],
  ] as const)('is refused as %s, before and after it is produced', async (expected, over) => {
    const request = over as Partial<NotificationRequest>;
    expect(await verdict(recordOf(request))).toBe(expected);
    const before = requestProblem(aRequest(request));
    expect(`${before?.reason} ${before?.field}`).toBe(expected);
  });

  it('may be past its deadline: that is an outcome, not a violation', async () => {
    expect(await verdict(recordOf({ notAfterMs: NOW_MS - 1_000_000 }))).toBe('decoded');
  });

  it('may go to the user of channel in-app', async () => {
    expect(await verdict(recordOf({ channel: 'in-app', recipient: 'user-1', inApp }))).toBe('decoded');
  });

  it('never shows a value in the reason of its refusal', async () => {
    const secret = 'ada.secret@example.com';
    for (const over of [
      { recipient: `${secret},${secret}` },
      { channel: secret as never },
      { correlationId: secret.repeat(9) },
    ]) {
      const answer = await decode(recordOf(over));
      expect(JSON.stringify(answer)).not.toContain('secret');
      expect(answer.kind).toBe('violation');
    }
  });

  it('carries a traceparent only in the shape of one', async () => {
    const zero = '00-00000000000000000000000000000000-b7ad6b7169203331-01';
    for (const [sent, kept] of [
      [TRACE, TRACE],
      [zero, null],
      [TRACE.toUpperCase(), null],
      [`${TRACE}x`, null],
      ['', null],
    ] as const) {
      const answer = await decode(recordOf({}, { headers: { traceparent: Buffer.from(sent) } }));
      expect(answer).toMatchObject({ value: { content: { traceparent: kept } } });
    }
  });
});
