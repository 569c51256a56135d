import { describe, expect, it } from 'vitest';
import { MAX_VALUE_BYTES, unframe } from '../../../src/streams/framing.ts';
import { retryDueRecord } from '../../../src/streams/retry-due.ts';
import { anId } from '../../support/a-notification.ts';
import { aCodec } from './a-codec.ts';

describe('Confluent framing', () => {
  it('is a zero byte, the id of the schema in four bytes, and the Avro value', async () => {
    const { codec, topics, registry } = await aCodec();
    const [tier] = topics.tiers;
    if (tier === undefined) throw new RangeError('no tier');
    const record = retryDueRecord(codec, tier, {
      notificationId: anId(7),
      dueAtMs: 1_700_000_000_000,
      wakeSeq: 3,
    });
    const hex = Buffer.from(record.value ?? []).toString('hex');
    const answer = await registry.schemaOf(Number.parseInt(hex.slice(2, 10), 16));
    expect(answer.kind === 'schema' && answer.schema).toContain('"RetryDue"');
    // As python3-avro writes it: uuid of 36 bytes (zigzag 48), the time as a varint, 3 (06), "1s" of 2 bytes (04).
    const uuid = Buffer.from('00000000-0000-4000-8000-000000000007').toString('hex');
    expect(hex.slice(0, 2) + hex.slice(10)).toBe(`0048${uuid}80a0abfef96206043173`);
  });

  it('refuses a value by its frame alone, without reading on', () => {
    const reasons = (value: Uint8Array | null) => {
      const answer = unframe(value);
      return answer.kind === 'violation' ? answer.reason : answer.kind;
    };
    expect(reasons(null)).toBe('undecodable');
    expect(reasons(Buffer.alloc(0))).toBe('undecodable');
    expect(reasons(Buffer.from('{"channel":"email"}'))).toBe('bad-magic');
    expect(reasons(Buffer.from([1]))).toBe('bad-magic');
    expect(reasons(Buffer.from([0, 0, 0, 1]))).toBe('undecodable');
    expect(reasons(Buffer.from([0, 0, 0, 0, 0]))).toBe('unknown-schema');
    expect(reasons(Buffer.from([0, 0xff, 0, 0, 1]))).toBe('unknown-schema');
    expect(reasons(Buffer.from([0, 0, 0, 0, 1]))).toBe('framed');
    expect(reasons(Buffer.alloc(MAX_VALUE_BYTES))).toBe('unknown-schema');
    expect(reasons(Buffer.alloc(MAX_VALUE_BYTES + 1))).toBe('oversized');
  });
});
