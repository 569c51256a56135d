import { expect, test } from 'vitest';
import type { ConsumerHandlers } from '../../../../src/broker/log.ts';
import { type MemoryLog, memoryLog } from '../../../../src/broker/memory/memory-log.ts';
import { virtualTime } from '../../../../src/runtime/virtual-time.ts';

const bytes = (text: string) => Buffer.from(text);
const outgoing = (value: string, partition = 0) => ({
  topic: 't',
  partition,
  key: bytes('k'),
  value: bytes(value),
  headers: {},
});
const options = (processId: string) => ({
  groupId: 'group',
  topics: ['t'],
  processId,
  sessionTimeoutMs: 6_000,
  heartbeatIntervalMs: 1_000,
  maxWaitMs: 100,
  maxBytesPerPartition: 100_000,
});

function setup(partitions = 2) {
  const time = virtualTime();
  const log = memoryLog(time, [{ topic: 't', partitions, replicationFactor: 1, config: {} }]);
  return { time, log };
}

async function join(log: MemoryLog, processId: string) {
  const heard: string[] = [];
  const handlers: ConsumerHandlers = {
    onRecords(at, records) {
      for (const { value } of records) heard.push(`${at.partition}:${Buffer.from(value ?? []).toString()}`);
      return records.length;
    },
    onAssigned: (tasks) => heard.push(`assigned ${tasks.join()}`),
    onRevoking: () => heard.push('revoking'),
    onCrashed: (error) => heard.push(`crashed ${String(error)}`),
    onOffsetReset: (_, committed, next) => heard.push(`reset ${committed}>${next}`),
  };
  return { consumer: await log.consumer(options(processId), handlers), heard };
}

test('nothing happens unless time is let go', async () => {
  const { time, log } = setup();
  const { heard } = await join(log, 'a');
  const sent = (await log.producer()).send(outgoing('x'));
  expect(heard).toEqual([]);
  await time.settle();
  await sent;
  expect(heard).toEqual(['assigned 0,1', '0:x']);
});

test('the same steps give the same records, offsets and times', async () => {
  const run = async () => {
    const { time, log } = setup();
    const { heard } = await join(log, 'a');
    const producer = await log.producer();
    for (const value of ['x', 'y', 'z']) {
      void producer.send(outgoing(value, value === 'y' ? 1 : 0));
      await time.advance(7);
    }
    return { heard, records: log.records('t') };
  };
  expect(await run()).toEqual(await run());
});

test('an expelled process reads on as a zombie, cannot commit, and notices a heartbeat later', async () => {
  const { time, log } = setup();
  const a = await join(log, 'a');
  await time.settle();
  const b = await join(log, 'b');
  await time.settle();
  a.heard.length = 0;
  b.heard.length = 0;
  log.expel('a');
  await time.settle();
  expect(b.heard).toEqual(['revoking', 'assigned 0,1']);
  void (await log.producer()).send(outgoing('x', 0));
  await time.settle();
  expect([a.heard, b.heard.at(-1)]).toEqual([['0:x'], '0:x']);
  const fenced = expect(a.consumer.commit([{ topic: 't', partition: 0, offset: 1 }])).rejects.toMatchObject({
    code: 'LOG_FENCED',
  });
  await time.settle();
  await fenced;
  expect(log.committed('group')).toContainEqual({ topic: 't', partition: 0, offset: 0 });
  await time.advance(1_000);
  expect(a.heard.slice(1, 3)).toEqual(['revoking', expect.stringMatching(/^assigned [01]$/)]);
});

test('a commit that arrives when the rebalance is over is fenced', async () => {
  const { time, log } = setup();
  const outcomes: string[] = [];
  const consumer = await log.consumer(options('a'), {
    onRecords: (_, records) => records.length,
    onAssigned: () => undefined,
    onRevoking() {
      time.timers.after(0, () => {
        consumer.commit([{ topic: 't', partition: 0, offset: 0 }]).then(
          () => outcomes.push('committed'),
          (error: unknown) => outcomes.push(String(error)),
        );
      });
    },
    onOffsetReset: () => undefined,
    onCrashed: () => undefined,
  });
  await time.settle();
  await join(log, 'b');
  await time.settle();
  expect(outcomes).toEqual([expect.stringContaining('goes on without this generation')]);
});

test('a send can fail with and without being stored', async () => {
  const { time, log } = setup();
  const producer = await log.producer();
  const fates = ['fail', 'lost-ack', 'ok'] as const;
  let sends = 0;
  log.beforeSend(() => fates[sends++] ?? 'ok');
  const results = Promise.allSettled(['a', 'b', 'c'].map((value) => producer.send(outgoing(value))));
  await time.settle();
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect((await results)[0]).toMatchObject({ reason: { code: 'LOG_UNAVAILABLE', retriable: true } });
  expect(log.records('t').map(({ value }) => Buffer.from(value ?? []).toString())).toEqual(['b', 'c']);
});

test('records that were forgotten before they were read are reported', async () => {
  const { time, log } = setup();
  const { consumer, heard } = await join(log, 'a');
  await time.settle();
  consumer.pause([{ topic: 't', partition: 0 }]);
  const producer = await log.producer();
  for (const value of ['x', 'y', 'z']) void producer.send(outgoing(value));
  await time.settle();
  log.trim({ topic: 't', partition: 0 }, 2);
  consumer.resume([{ topic: 't', partition: 0 }]);
  await time.settle();
  expect(heard).toEqual(['assigned 0,1', 'reset 0>2', '0:z']);
});

test('a member with other topics is refused', async () => {
  const { time, log } = setup();
  await (await log.admin()).create([{ topic: 'u', partitions: 2, replicationFactor: 1, config: {} }]);
  await join(log, 'a');
  const crashes: unknown[] = [];
  await log.consumer(
    { ...options('b'), topics: ['t', 'u'] },
    {
      onRecords: () => 0,
      onAssigned: () => undefined,
      onRevoking: () => undefined,
      onOffsetReset: () => undefined,
      onCrashed: (error) => crashes.push(error),
    },
  );
  await time.settle();
  expect(crashes).toMatchObject([{ code: 'LOG_MIXED_SUBSCRIPTIONS' }]);
});

test('one delivery stays within the bytes asked for', async () => {
  const { time, log } = setup(1);
  const producer = await log.producer();
  for (let n = 0; n < 10; n += 1) void producer.send(outgoing('x'.repeat(99)));
  await time.settle();
  const sizes: number[] = [];
  await log.consumer(
    { ...options('a'), maxBytesPerPartition: 250 },
    {
      onRecords(_, records) {
        sizes.push(records.length);
        return records.length;
      },
      onAssigned: () => undefined,
      onRevoking: () => undefined,
      onOffsetReset: () => undefined,
      onCrashed: () => undefined,
    },
  );
  await time.settle();
  expect(sizes).toEqual([2, 2, 2, 2, 2]);
});
