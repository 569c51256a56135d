import { describe, expect, it } from 'vitest';
import { decodeRetryDue, retryDueRecord } from '../../../src/streams/retry-due.ts';
import { anId, NOW_MS } from '../../support/a-notification.ts';
import { aCodec, headerOf, received } from './a-codec.ts';

const wakeUp = { notificationId: anId(), dueAtMs: NOW_MS, wakeSeq: 4 };
const tier = { name: '5s', delayMs: 5_000, topic: 'pin.notifications.retry.5s' };

describe('a wake-up', () => {
  it('comes back as it was produced', async () => {
    const { codec } = await aCodec();
    const record = received(retryDueRecord(codec, tier, wakeUp));
    expect(await decodeRetryDue(codec, record)).toEqual({
      kind: 'decoded',
      value: { ...wakeUp, tier: '5s' },
    });
    expect(record.topic).toBe(tier.topic);
  });

  it('is the same record whoever repeats it, and another one in another tier or for another wait', async () => {
    const { codec, topics } = await aCodec();
    const id = (record: ReturnType<typeof retryDueRecord>) => headerOf(record, 'ce_id');
    const first = retryDueRecord(codec, tier, wakeUp);
    expect(retryDueRecord(codec, tier, wakeUp)).toEqual(first);
    const [shortest = tier] = topics.tiers;
    expect(id(retryDueRecord(codec, shortest, wakeUp))).not.toBe(id(first));
    expect(id(retryDueRecord(codec, tier, { ...wakeUp, wakeSeq: 5 }))).not.toBe(id(first));
  });

  it('is refused when it cannot be one', async () => {
    const { codec } = await aCodec();
    const verdict = async (value: object, key = Buffer.from(anId())) => {
      const bytes = codec.encode(tier.topic, { ...wakeUp, dueAt: NOW_MS, tier: '5s', ...value });
      const answer = await decodeRetryDue(
        codec,
        received({ topic: tier.topic, partition: 0, key, value: bytes, headers: {} }),
      );
      return answer.kind === 'violation' ? `${answer.reason} ${answer.field}` : answer.kind;
    };
    expect(await verdict({})).toBe('decoded');
    expect(await verdict({ wakeSeq: -1 })).toBe('invalid-field wakeSeq');
    expect(await verdict({ dueAt: 12 })).toBe('invalid-field dueAt');
    expect(await verdict({ tier: 't'.repeat(129) })).toBe('invalid-field tier');
    expect(await verdict({}, Buffer.from(anId(2)))).toBe('key-mismatch notificationId');
  });
});
