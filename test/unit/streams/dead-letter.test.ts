import { describe, expect, it } from 'vitest';
import { deadLetterRecord } from '../../../src/streams/dead-letter.ts';
import { violation } from '../../../src/streams/decode-answer.ts';
import { topicsOf } from '../../../src/streams/topics.ts';
import { NOW_MS } from '../../support/a-notification.ts';
import { headerOf, received, textHeaders } from './a-codec.ts';

const value = Buffer.from([0xff, 0x00, 0xfe]);
const original = received({
  topic: 'pin.notifications.requested.v1',
  partition: 3,
  key: Buffer.from('order-17'),
  value,
  headers: { traceparent: Buffer.from('t'), binary: Buffer.from([0xff, 0]) },
});

describe('a dead letter', () => {
  it('is the original record, bytes and headers, with the reason beside it', () => {
    const letter = deadLetterRecord(topicsOf(), original, violation('key-not-uuid', 'no uuid'), NOW_MS);
    expect(letter.topic).toBe('pin.notifications.requested.v1.dlq');
    expect(letter.key).toBe(original.key);
    expect(letter.value).toBe(original.value);
    expect(letter.headers).toMatchObject(original.headers);
    expect(textHeaders(letter)).toMatchObject({
      traceparent: 't',
      'pin-dlq-reason': 'key-not-uuid',
      'pin-dlq-detail': 'no uuid',
      'pin-origin-topic': 'pin.notifications.requested.v1',
      'pin-origin-partition': '3',
      'pin-origin-offset': '42',
      'pin-dlq-at': '2023-11-14T22:13:20.000Z',
    });
  });

  it('does not grow when it is replayed and fails again', () => {
    const first = deadLetterRecord(topicsOf(), original, violation('undecodable', 'once'), NOW_MS);
    const again = deadLetterRecord(topicsOf(), received(first), violation('undecodable', 'twice'), NOW_MS);
    expect(Object.keys(again.headers).sort()).toEqual(Object.keys(first.headers).sort());
    expect(headerOf(again, 'pin-dlq-detail')).toBe('twice');
  });

  it('clamps its detail to printable text of bounded length', () => {
    const { detail } = violation('undecodable', `a\n\u0000é${'x'.repeat(1_000)}`);
    expect(detail).toMatch(/^a\?\?\?x+$/);
    expect(detail).toHaveLength(200);
  });
});
