// What other clients and the cluster itself do to the log, on a real broker.
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { type Admin, Kafka, logLevel, type Producer } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kafkaLog } from '../../../src/broker/kafkajs/kafka-log.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { systemTimers } from '../../../src/runtime/timers.ts';
import { outgoing } from '../../contract/broker/bench.ts';
import { KEY_VECTORS } from '../../contract/broker/key-vectors.ts';
import { openReader, text, unique } from '../../contract/broker/log-reader.ts';
import { realBrokers } from './real-brokers.ts';

const log = kafkaLog(
  { clock: systemClock, timers: systemTimers, logger: silentLogger },
  { brokers: realBrokers(), clientId: 'clients' },
);
let admin: Admin;
let other: Producer;

beforeAll(async () => {
  const kafka = new Kafka({ brokers: realBrokers(), clientId: 'other', logLevel: logLevel.NOTHING });
  admin = kafka.admin();
  other = kafka.producer({ allowAutoTopicCreation: false });
  await Promise.all([admin.connect(), other.connect()]);
});
afterAll(() => Promise.all([admin.disconnect(), other.disconnect()]));

async function topicOf(partitions: number, config: Readonly<Record<string, string>> = {}): Promise<string> {
  const ours = await log.admin();
  const topic = unique('topic');
  await ours.create([{ topic, partitions, replicationFactor: 1, config }]);
  await ours.close();
  return topic;
}

const options = (topic: string) => ({
  groupId: unique('group'),
  topics: [topic],
  processId: unique('process'),
  sessionTimeoutMs: 6_000,
  heartbeatIntervalMs: 500,
  maxWaitMs: 100,
  maxBytesPerPartition: 262_144,
});

const hasKcat = (() => {
  try {
    execFileSync('kcat', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Sends `key|value` lines with kcat. */
async function kcat(topic: string, lines: readonly string[], ...args: readonly string[]): Promise<void> {
  const sent = promisify(execFile)('kcat', ['-b', realBrokers().join(), '-t', topic, '-P', '-K|', ...args]);
  sent.child.stdin?.end(`${lines.join('\n')}\n`);
  await sent;
}

test('a header given several times keeps its last value', async () => {
  const topic = await topicOf(1);
  await other.send({
    topic,
    messages: [{ key: 'a', value: 'x', headers: { h: ['first', 'last'], empty: '' } }],
  });
  const reader = await openReader(log, options(topic));
  await reader.until('the record', () => reader.records.length === 1);
  await reader.consumer.stop();
  const headers = reader.records[0]?.headers ?? {};
  expect([text(headers['h'] ?? null), text(headers['empty'] ?? null)]).toEqual(['last', '']);
});

test('records that the log forgot before they were read are reported, and reading goes on behind them', async () => {
  const topic = await topicOf(1);
  const at = { topic, partition: 0 };
  const producer = await log.producer();
  const reader = await openReader(log, options(topic), { onAssigned: (_, consumer) => consumer.pause([at]) });
  await reader.until('the assignment', () => reader.tasks() !== null);
  for (const value of ['0', '1', '2', '3']) await producer.send(outgoing(topic, 'a', value));
  await admin.fetchTopicOffsets(topic); // deleteTopicRecords alone does not load what it needs
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
  reader.consumer.resume([at]);
  await reader.until('the rest', () => reader.records.length === 2);
  await reader.consumer.stop();
  await producer.close();
  expect(reader.records.map(({ value }) => text(value))).toEqual(['2', '3']);
  expect(reader.calls).toContain(`reset ${topic}/0 0>2`);
});

test('a topic that is deleted under the producer refuses its records alone', async () => {
  const [doomed, safe] = [await topicOf(1), await topicOf(1)];
  const producer = await log.producer();
  await producer.send(outgoing(doomed, 'a', 'x'));
  await admin.deleteTopics({ topics: [doomed] });
  const results = await Promise.allSettled([
    producer.send(outgoing(safe, 'a', '1')),
    producer.send(outgoing(doomed, 'a', 'y')),
    producer.send(outgoing(safe, 'a', '2')),
  ]);
  await producer.close();
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(results[1]).toMatchObject({ reason: { code: 'LOG_RECORD_REFUSED' } });
});

test('an admin that was asked about a topic goes on after its end', async () => {
  const [doomed, safe] = [await topicOf(1), await topicOf(1)];
  const ours = await log.admin();
  await ours.lag('nobody', [doomed, safe]);
  await admin.deleteTopics({ topics: [doomed] });
  await expect(ours.lag('nobody', [doomed, safe])).rejects.toMatchObject({ code: 'LOG_TOPIC_UNKNOWN' });
  expect(await ours.lag('nobody', [safe])).toHaveLength(1);
  await ours.close();
});

test('control records of a transactional producer are no gap', async () => {
  const topic = await topicOf(1);
  const kafka = new Kafka({ brokers: realBrokers(), clientId: 'transactional', logLevel: logLevel.NOTHING });
  const transactional = kafka.producer({
    transactionalId: unique('tx'),
    maxInFlightRequests: 1,
    idempotent: true,
  });
  await transactional.connect();
  const reader = await openReader(log, options(topic));
  for (const value of ['0', '1']) {
    const transaction = await transactional.transaction();
    await transaction.send({ topic, messages: [{ key: 'a', value }] });
    await transaction.commit();
    await reader.until(`record ${value}`, () => text(reader.records.at(-1)?.value ?? null) === value);
  }
  await transactional.disconnect();
  await reader.consumer.stop();
  expect(reader.records.map(({ offset }) => offset)).toEqual([0, 2]);
  expect(reader.calls.filter((call) => call.startsWith('reset'))).toEqual([]);
});

test.skipIf(!hasKcat)('kcat puts every key where we do', async () => {
  const topic = await topicOf(12);
  await kcat(
    topic,
    KEY_VECTORS.map(([key]) => `${key}|x`),
    '-X',
    'partitioner=murmur2',
  );
  const reader = await openReader(log, options(topic));
  await reader.until('all keys', () => reader.records.length === KEY_VECTORS.length);
  await reader.consumer.stop();
  const placed = reader.records.map(({ key, partition }) => [text(key), partition]);
  expect(placed.sort()).toEqual([...KEY_VECTORS].map(([key, partition]) => [key, partition]).sort());
});

test.skipIf(!hasKcat)(
  'a codec that kafkajs lacks ends the consumer, unless the topic stores another',
  async () => {
    const [plain, recoded] = [await topicOf(1), await topicOf(1, { 'compression.type': 'uncompressed' })];
    for (const topic of [plain, recoded]) await kcat(topic, ['a|x'.padEnd(500, 'x')], '-z', 'lz4');
    const good = await openReader(log, options(recoded));
    await good.until('the record', () => good.records.length === 1);
    await good.consumer.stop();
    const bad = await openReader(log, options(plain));
    await bad.until('the end', () => bad.calls.some((call) => call.startsWith('crashed')));
    await bad.consumer.stop();
    expect(bad.calls.at(-1)).toContain('LZ4');
  },
);
