// Topics, lags and tails.
import { expect, test } from 'vitest';
import type { LogRecord } from '../../../src/broker/log.ts';
import { type Bench, outgoing, sendNumbered } from './bench.ts';
import { openReader, text, unique, waiting } from './log-reader.ts';

export function adminContract(bench: () => Bench): void {
  test('a topic is described as it was created, a missing one as null', async () => {
    const { admin } = bench();
    const [topic, missing] = [unique('topic'), unique('missing')];
    const config = { 'cleanup.policy': 'delete', 'retention.ms': '604800000', 'min.insync.replicas': '1' };
    await admin.create([{ topic, partitions: 5, replicationFactor: 1, config }]);
    const described = await admin.describe([topic, missing]);
    expect(described.get(missing)).toBeNull();
    expect(described.get(topic)).toMatchObject({
      topic,
      partitions: 5,
      replicationFactor: 1,
      minInSyncReplicas: 1,
      config,
    });
  });

  test('creating a topic that exists leaves it as it is', async () => {
    const { admin } = bench();
    const topic = unique('topic');
    await admin.create([{ topic, partitions: 2, replicationFactor: 1, config: {} }]);
    await admin.create([{ topic, partitions: 7, replicationFactor: 1, config: { 'retention.ms': '1000' } }]);
    expect((await admin.describe([topic])).get(topic)?.partitions).toBe(2);
  });

  test('altering one entry leaves the others', async () => {
    const { admin } = bench();
    const topic = unique('topic');
    const config = { 'retention.ms': '604800000', 'max.message.bytes': '50000' };
    await admin.create([{ topic, partitions: 1, replicationFactor: 1, config }]);
    await admin.alter(topic, { 'retention.ms': '1209600000' });
    expect((await admin.describe([topic])).get(topic)?.config).toMatchObject({
      'retention.ms': '1209600000',
      'max.message.bytes': '50000',
    });
    await expect(admin.alter(unique('missing'), { 'retention.ms': '1000' })).rejects.toMatchObject({
      code: 'LOG_TOPIC_UNKNOWN',
    });
  });

  test('lag names what is committed, where the partition starts and where it ends', async () => {
    const { admin, log, topics, options } = bench();
    const [topic = '', other = ''] = await topics(2, 2);
    const group = unique('group');
    await sendNumbered(bench(), topic, 1, 6);
    const reader = await openReader(log, options(group, [topic]));
    await reader.until('six', () => reader.records.length === 6);
    await reader.consumer.commit([{ topic, partition: 1, offset: 4 }]);
    await reader.consumer.stop();
    const lag = await admin.lag(group, [topic, other]);
    expect(lag).toContainEqual({ topic, partition: 1, committed: 4, start: 0, end: 6 });
    expect(lag).toContainEqual({ topic: other, partition: 0, committed: null, start: 0, end: 0 });
    expect(lag).toHaveLength(4);
  });

  test('an offset is found by time: the first record from then on, or the end', async () => {
    const { admin, log, topics, world, options } = bench();
    const [topic = ''] = await topics(1, 2);
    await sendNumbered(bench(), topic, 1, 2);
    await world.pass(20);
    await sendNumbered(bench(), topic, 1, 2);
    const reader = await openReader(log, options(unique('group'), [topic]));
    await reader.until('four', () => reader.records.length === 4);
    await reader.consumer.stop();
    const [firstMs = 0, , thirdMs = 0, lastMs = 0] = reader.records.map(({ timestampMs }) => timestampMs);
    expect([...(await admin.offsetsAt(topic, firstMs))].sort()).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect((await admin.offsetsAt(topic, thirdMs)).get(1)).toBe(2);
    expect((await admin.offsetsAt(topic, lastMs + 1)).get(1)).toBe(4);
    await expect(admin.offsetsAt(unique('missing'), firstMs)).rejects.toMatchObject({
      code: 'LOG_TOPIC_UNKNOWN',
    });
  });

  test('a tail from the start sees everything, one from the end only what comes', async () => {
    const { log, topics, producer } = bench();
    const [topic = ''] = await topics(1, 2);
    await sendNumbered(bench(), topic, 0, 3);
    const seen: Record<'start' | 'end', string[]> = { start: [], end: [] };
    const { until, changed } = waiting(() => JSON.stringify(seen));
    const note = (from: 'start' | 'end') => (record: LogRecord) => {
      seen[from].push(text(record.value) ?? '');
      changed();
    };
    const tails = await Promise.all([
      log.tail([topic], 'start', note('start')),
      log.tail([topic], 'end', note('end')),
    ]);
    await until('the old ones', () => seen.start.length === 3);
    await producer.send(outgoing(topic, 'a', 'new', { partition: 0 }));
    await until('the new one', () => seen.start.length === 4 && seen.end.length === 1);
    await Promise.all(tails.map((tail) => tail.stop()));
    expect(seen).toEqual({ start: ['0', '1', '2', 'new'], end: ['new'] });
  });
}
