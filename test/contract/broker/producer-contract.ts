// Sending.
import { expect, test } from 'vitest';
import { type Bench, outgoing, sendNumbered } from './bench.ts';
import { KEY_VECTORS } from './key-vectors.ts';
import { bytes, openReader, text, unique } from './log-reader.ts';

export function producerContract(bench: () => Bench): void {
  test('an acknowledged record is read back with its bytes, headers and time', async () => {
    const { log, producer, topics, options } = bench();
    const [topic = ''] = await topics(1, 3);
    const headers = { ce_id: bytes('x-1'), binary: Uint8Array.of(0, 255, 10) };
    const sent = await producer.send(outgoing(topic, 'a', 'value', { headers }));
    const reader = await openReader(log, options(unique('group'), [topic]));
    await reader.until('the record', () => reader.records.length === 1);
    await reader.consumer.stop();
    const [record] = reader.records;
    expect(record).toMatchObject({ topic, partition: sent.partition, offset: 0 });
    expect(text(record?.key ?? null)).toBe('a');
    expect(text(record?.value ?? null)).toBe('value');
    const read = Object.entries(record?.headers ?? {}).map(([name, value]) => [name, [...value]]);
    expect(Object.fromEntries(read)).toEqual({ ce_id: [...bytes('x-1')], binary: [0, 255, 10] });
    expect(record?.timestampMs).toBeGreaterThan(1_600_000_000_000);
  });

  test('a record without key and one without value arrive as such', async () => {
    const { log, producer, topics, options } = bench();
    const [topic = ''] = await topics(1, 1);
    await producer.send(outgoing(topic, null, 'no key'));
    await producer.send(outgoing(topic, 'no value', null));
    const reader = await openReader(log, options(unique('group'), [topic]));
    await reader.until('both', () => reader.records.length === 2);
    await reader.consumer.stop();
    expect(reader.records.map(({ key, value }) => [text(key), text(value)])).toEqual([
      [null, 'no key'],
      ['no value', null],
    ]);
  });

  test('keys go to the partitions that other clients choose', async () => {
    const { producer, topics } = bench();
    const [topic = ''] = await topics(1, 12);
    const placed = await Promise.all(KEY_VECTORS.map(([key]) => producer.send(outgoing(topic, key, key))));
    expect(placed).toEqual(KEY_VECTORS.map(([, partition]) => ({ topic, partition })));
  });

  test('a named partition wins over the key', async () => {
    const { producer, topics } = bench();
    const [topic = ''] = await topics(1, 12);
    expect(await producer.send(outgoing(topic, 'a', 'x', { partition: 11 }))).toEqual({
      topic,
      partition: 11,
    });
  });

  test('records of one partition are stored in the order of the calls', async () => {
    const { log, topics, options } = bench();
    const [topic = ''] = await topics(1, 2);
    await sendNumbered(bench(), topic, 1, 2_500);
    const reader = await openReader(log, options(unique('group'), [topic]));
    await reader.until('all', () => reader.records.length === 2_500);
    await reader.consumer.stop();
    expect(reader.records.map(({ value }) => Number(text(value)))).toEqual(
      Array.from({ length: 2_500 }, (_, n) => n),
    );
    expect(reader.records.map(({ offset }) => offset)).toEqual(Array.from({ length: 2_500 }, (_, n) => n));
  });

  test('a record that is too large is refused alone', async () => {
    const { producer, topics } = bench();
    const [topic = ''] = await topics(1, 2, { 'max.message.bytes': '20000' });
    const sends = [
      producer.send(outgoing(topic, 'a', 'before')),
      producer.send(outgoing(topic, 'a', 'x'.repeat(30_000))),
      producer.send(outgoing(topic, 'b', 'after')),
    ];
    const results = await Promise.allSettled(sends);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { code: 'LOG_RECORD_REFUSED', retriable: false } });
    expect(await producer.send(outgoing(topic, 'a', 'later'))).toMatchObject({ topic });
  });

  test('a record for an unknown topic or partition is refused alone', async () => {
    const { producer, topics } = bench();
    const [topic = ''] = await topics(1, 2);
    const results = await Promise.allSettled([
      producer.send(outgoing(unique('missing'), 'a', 'x')),
      producer.send(outgoing(topic, 'a', 'x', { partition: 2 })),
      producer.send(outgoing(topic, 'a', 'good')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    for (const result of results.slice(0, 2))
      expect(result).toMatchObject({ reason: { code: 'LOG_RECORD_REFUSED' } });
  });

  test('a closed producer lets what it took out and then refuses', async () => {
    const { log, topics, admin } = bench();
    const [topic = ''] = await topics(1, 1);
    const producer = await log.producer();
    const sent = producer.send(outgoing(topic, 'a', 'last'));
    await producer.close();
    expect(await sent).toEqual({ topic, partition: 0 });
    await expect(producer.send(outgoing(topic, 'a', 'late'))).rejects.toMatchObject({ code: 'LOG_CLOSED' });
    expect(await admin.lag(unique('group'), [topic])).toMatchObject([{ end: 1 }]);
  });
}
