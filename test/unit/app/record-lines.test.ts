import { describe, expect, it } from 'vitest';
import { deadLetterOf } from '../../../src/app/dead-letter-line.ts';
import { readTopic } from '../../../src/app/read-topic.ts';
import { recordLine } from '../../../src/app/record-lines.ts';
import type { LogRecord } from '../../../src/broker/log.ts';
import { memoryLog } from '../../../src/broker/memory/memory-log.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { openCodec } from '../../../src/streams/codec.ts';
import { memoryRegistry } from '../../../src/streams/memory-registry.ts';
import { encodeRequest } from '../../../src/streams/requested.ts';
import { pushSchemas } from '../../../src/streams/schema-check.ts';
import { topicsOf } from '../../../src/streams/topics.ts';
import { aRequest } from '../../support/a-notification.ts';
import { anEnvironment } from './an-environment.ts';

const topics = topicsOf();
const START_MS = 1_800_000_000_000;

async function aCodec() {
  const registry = memoryRegistry();
  await pushSchemas(registry, topics);
  return openCodec({ registry, clock: virtualTime().clock }, topics);
}

function aRecord(change: Partial<LogRecord> = {}): LogRecord {
  const place = { topic: topics.requested, partition: 0, offset: 7, timestampMs: START_MS };
  return { ...place, key: Buffer.from('k'), value: null, headers: {}, ...change };
}

describe('recordLine', () => {
  it('shows what a request is about and hides whom it is for and what it says', async () => {
    const codec = await aCodec();
    const request = aRequest({ recipient: 'ann@example.org' });
    const { value, key, headers } = encodeRequest(topics, codec, request, null);
    const record = aRecord({ value, key, headers });
    const hidden = await recordLine({ codec, topics }, record, false);
    expect(hidden).toMatchObject({
      key: request.notificationId,
      time: '2027-01-15T08:00:00.000Z',
      headers: { ce_type: 'NotificationRequested' },
      value: { channel: request.channel, recipient: '***' },
    });
    expect(JSON.stringify(hidden)).not.toContain('ann@');
    const shown = await recordLine({ codec, topics }, record, true);
    expect(shown.value).toMatchObject({ recipient: 'ann@example.org' });
  });

  it('says why a value cannot be read, and shows its bytes only when asked to', async () => {
    const codec = await aCodec();
    const record = aRecord({ topic: topics.dlq, value: Buffer.from('ann@example.org') });
    expect(await recordLine({ codec, topics }, record, false)).toMatchObject({
      value: null,
      problem: expect.stringMatching(/^bad-magic/) as string,
    });
    const shown = await recordLine({ codec, topics }, record, true);
    expect(Buffer.from(String(shown.value), 'base64').toString()).toBe('ann@example.org');
  });
});

describe('deadLetterOf', () => {
  it('tells place, reason and origin, with nothing that a terminal would obey', () => {
    const headers = {
      'pin-dlq-reason': Buffer.from('bad-magic'),
      'pin-dlq-detail': Buffer.from('\u001b[2Jx'),
      'pin-origin-topic': Buffer.from(topics.requested),
      'pin-origin-partition': Buffer.from('3'),
      'pin-origin-offset': Buffer.from('17'),
    };
    expect(deadLetterOf(aRecord({ headers, partition: 2 }))).toEqual({
      place: '2/7',
      at: null,
      reason: 'bad-magic',
      detail: '?[2Jx',
      key: 'k',
      origin: `${topics.requested}/3/17`,
    });
  });
});

describe('readTopic', () => {
  async function read(count: number, onRecord: (seen: number) => boolean) {
    const time = virtualTime();
    const log = memoryLog(time, [{ topic: 't', partitions: 2, replicationFactor: 1, config: {} }]);
    const producer = await log.producer();
    const sending = Array.from({ length: count }, (_, index) =>
      producer.send({
        topic: 't',
        partition: index % 2,
        key: null,
        value: Buffer.from(String(index)),
        headers: {},
      }),
    );
    await time.advance(1_000);
    await Promise.all(sending);
    const seen: string[] = [];
    const environment = { ...anEnvironment(), clock: time.clock, timers: time.timers };
    let isDone = false;
    const reading = readTopic(environment, log, 't', (record) => {
      seen.push(Buffer.from(record.value ?? []).toString());
      return onRecord(seen.length);
    }).then(() => {
      isDone = true;
    });
    while (!isDone) await time.advance(10);
    await reading;
    return seen;
  }

  it('reads to the ends as they are and stops', async () => {
    expect((await read(5, () => true)).sort()).toEqual(['0', '1', '2', '3', '4']);
    expect(await read(0, () => true)).toEqual([]);
  });

  it('stops when it has seen enough', async () => {
    expect(await read(10, (seen) => seen < 3)).toHaveLength(3);
  });
});
