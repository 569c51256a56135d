import { describe, expect, it } from 'vitest';
import type { FinalOutcome, Notification } from '../../../src/domain/notification.ts';
import type { Content } from '../../../src/domain/request.ts';
import { decodeDispatched, dispatchedRecord } from '../../../src/streams/dispatched.ts';
import { topicsOf } from '../../../src/streams/topics.ts';
import { aNotification, anId, aRequest, NOW_MS } from '../../support/a-notification.ts';
import { aCodec, headerOf, received, textHeaders } from './a-codec.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const outcome: FinalOutcome = {
  schemaVersion: 1,
  seq: 2,
  supersedes: 1,
  status: 'Failed',
  reason: 'exhausted',
  providerKey: 'mail',
  cycle: 2,
  attempts: 5,
  maxAttempts: 5,
  providerMessageId: null,
  error: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: '421' },
  evidence: 'none',
};

function aFinalRow(over: Partial<Notification> = {}): Notification {
  return aNotification({
    status: 'Failed',
    final: 'exhausted',
    outcome,
    outcomeSeq: 2,
    publishedSeq: 1,
    firstAttemptAtMs: NOW_MS + 10,
    lastAttemptAtMs: NOW_MS + 4_000,
    outcomeAtMs: NOW_MS + 5_000,
    ...over,
  });
}

function aContent(over: Partial<Content['request']> = {}): Content {
  const request = aRequest({ correlationId: 'c-1', attributes: { b: '2', a: '1', '7': 'x' }, ...over });
  return { request, payloadHash: 'p', recipientHash: 'r'.repeat(64), traceparent: TRACE };
}

describe('a dispatched record', () => {
  it('says everything that the outcome fixed, and no recipient and no body', async () => {
    const { topics, codec } = await aCodec();
    const record = received(dispatchedRecord(topics, codec, aFinalRow(), aContent()));
    expect(await decodeDispatched(codec, record)).toEqual({
      kind: 'decoded',
      value: {
        eventId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/) as string,
        contractVersion: 1,
        notificationId: anId(),
        tenantId: 'tenant-1',
        channel: 'email',
        providerKey: 'mail',
        status: 'Failed',
        reason: 'exhausted',
        outcomeSeq: 2,
        supersedes: 1,
        cycle: 2,
        attempts: 5,
        maxAttempts: 5,
        providerMessageId: null,
        errorCode: 'NTF_PROVIDER_TRANSIENT',
        errorClass: 'transient',
        evidence: 'none',
        requestedAt: NOW_MS,
        firstAttemptAt: NOW_MS + 10,
        lastAttemptAt: NOW_MS + 4_000,
        dispatchedAt: NOW_MS + 5_000,
        deliveryLatencyMs: 5_000,
        recipientHash: 'r'.repeat(64),
        templateKey: null,
        correlationId: 'c-1',
        causationId: null,
        attributes: { a: '1', b: '2', '7': 'x' },
      },
    });
    const bytes = Buffer.from(record.value ?? []).toString('latin1');
    expect(bytes).not.toMatch(/ada@example|Hello/);
  });

  it('is equal byte for byte when it is repeated from a content that came back from the database', async () => {
    const { topics, codec } = await aCodec();
    const first = dispatchedRecord(topics, codec, aFinalRow(), aContent());
    const reloaded = aContent({ attributes: { '7': 'x', a: '1', b: '2' } });
    const laterRow = aFinalRow({ version: 9, publishedSeq: 2, wakeAtMs: null, trail: '1 published\n' });
    expect(dispatchedRecord(topics, codec, laterRow, reloaded)).toEqual(first);
  });

  it('has its event id and the outcome time in its headers', async () => {
    const { topics, codec } = await aCodec();
    const record = dispatchedRecord(topics, codec, aFinalRow(), aContent());
    const answer = await decodeDispatched(codec, received(record));
    expect(textHeaders(record)).toEqual({
      ce_specversion: '1.0',
      ce_id: answer.kind === 'decoded' && answer.value.eventId,
      ce_source: '/pin/notifications',
      ce_type: 'NotificationDispatchedEvent',
      ce_time: '2023-11-14T22:13:25.000Z',
      ce_subject: anId(),
      ce_tenantid: 'tenant-1',
      ce_correlationid: 'c-1',
      traceparent: TRACE,
    });
  });

  it('has another event id for another outcome of the same notification', async () => {
    const { topics, codec } = await aCodec();
    const idOf = (row: Notification) => headerOf(dispatchedRecord(topics, codec, row, aContent()), 'ce_id');
    expect(idOf(aFinalRow({ outcome: { ...outcome, seq: 3 } }))).not.toBe(idOf(aFinalRow()));
  });

  it('names no provider when none was ever chosen, and no negative latency', async () => {
    const { topics, codec } = await aCodec();
    const row = aFinalRow({ outcome: { ...outcome, providerKey: null }, outcomeAtMs: NOW_MS - 40 });
    const answer = await decodeDispatched(codec, received(dispatchedRecord(topics, codec, row, aContent())));
    expect(answer).toMatchObject({ value: { providerKey: 'none', deliveryLatencyMs: 0 } });
  });

  it('is not made from a row without an outcome, with an unreleased schema, or by another consumer', async () => {
    const { topics, codec } = await aCodec();
    const make =
      (row: Notification, by = topics) =>
      () =>
        dispatchedRecord(by, codec, row, aContent());
    expect(make(aFinalRow({ outcome: null }))).toThrow(/no outcome/);
    expect(make(aFinalRow({ outcome: { ...outcome, schemaVersion: 99 } }))).toThrow(/no released schema 99/);
    expect(make(aFinalRow(), topicsOf({ consumer: 'audit' }))).toThrow(/audit publishes no outcomes/);
  });
});
