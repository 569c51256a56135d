// Reading, pausing, committing by one member.
import { expect, test } from 'vitest';
import type { LogRecord } from '../../../src/broker/log.ts';
import { type Bench, outgoing, sendNumbered } from './bench.ts';
import { openReader, text, unique } from './log-reader.ts';

const numbers = (records: readonly LogRecord[]) => records.map(({ value }) => Number(text(value)));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

export function readingContract(bench: () => Bench): void {
  test('a member that comes back continues after what was committed', async () => {
    const { log, topics, options } = bench();
    const [topic = ''] = await topics(1, 1);
    const group = unique('group');
    await sendNumbered(bench(), topic, 0, 10);
    const first = await openReader(log, options(group, [topic]));
    await first.until('ten', () => first.records.length === 10);
    await first.consumer.commit([{ topic, partition: 0, offset: 7 }]);
    await first.consumer.stop();
    const second = await openReader(log, options(group, [topic]));
    await second.until('the uncommitted', () => second.records.length === 3);
    await second.consumer.stop();
    expect(numbers(second.records)).toEqual([7, 8, 9]);
  });

  test('the first assignment starts at the beginning and commits where it started', async () => {
    const { log, topics, options, admin, world } = bench();
    const names = await topics(2, 2);
    const group = unique('group');
    await sendNumbered(bench(), names[0] ?? '', 1, 3);
    expect((await admin.lag(group, names)).map(({ committed }) => committed)).toEqual([
      null,
      null,
      null,
      null,
    ]);
    const reader = await openReader(log, options(group, names));
    await reader.until('three', () => reader.records.length === 3);
    let committed: readonly (number | null)[] = [];
    for (let tries = 0; tries < 50 && committed.join() !== '0,0,0,0'; tries += 1) {
      await world.pass(20);
      committed = (await admin.lag(group, names)).map((lag) => lag.committed);
    }
    await reader.consumer.stop();
    expect(committed).toEqual([0, 0, 0, 0]);
  });

  test('a paused partition rests while others flow, and loses nothing', async () => {
    const { log, topics, options, world } = bench();
    const [topic = ''] = await topics(1, 2);
    const reader = await openReader(log, options(unique('group'), [topic]), {
      onAssigned: (_, consumer) => consumer.pause([{ topic, partition: 0 }]),
    });
    await sendNumbered(bench(), topic, 0, 5);
    await sendNumbered(bench(), topic, 1, 5);
    await reader.until('the other partition', () => reader.records.length === 5);
    expect(reader.records.map(({ partition }) => partition)).toEqual([1, 1, 1, 1, 1]);
    const resumedAtMs = world.nowMs();
    reader.consumer.resume([{ topic, partition: 0 }]);
    await reader.until('the paused one', () => reader.records.length === 10);
    expect(world.nowMs() - resumedAtMs).toBeLessThan(10 * world.timing.maxWaitMs);
    await reader.consumer.stop();
    expect(numbers(reader.records.slice(5))).toEqual(upTo(5));
  });

  test('a reader that takes part and pauses gets the rest after resume, once and in order', async () => {
    const { log, topics, options } = bench();
    const [topic = ''] = await topics(1, 1);
    await sendNumbered(bench(), topic, 0, 1_000);
    let stops = 0;
    const reader = await openReader(log, options(unique('group'), [topic]), {
      take(at, records, consumer) {
        if (records.length <= 150) return records.length;
        stops += 1;
        consumer.pause([at]);
        setImmediate(() => consumer.resume([at]));
        return 150;
      },
    });
    await reader.until('all', () => reader.records.length === 1_000);
    await reader.consumer.stop();
    expect(stops).toBeGreaterThan(1);
    expect(numbers(reader.records)).toEqual(upTo(1_000));
  });

  test('a reader that takes nothing without pausing is asked again', async () => {
    const { log, topics, options } = bench();
    const [topic = ''] = await topics(1, 1);
    await sendNumbered(bench(), topic, 0, 3);
    let offers = 0;
    const reader = await openReader(log, options(unique('group'), [topic]), {
      take: (_, records) => {
        offers += 1;
        return offers < 3 ? 0 : records.length;
      },
    });
    await reader.until('all', () => reader.records.length === 3);
    await reader.consumer.stop();
    expect(offers).toBe(3);
    expect(numbers(reader.records)).toEqual([0, 1, 2]);
  });

  test('a member whose partitions are all paused outlives the session and reads on', async () => {
    const { log, topics, options, producer, world } = bench();
    const names = await topics(2, 2);
    const [topic = ''] = names;
    const all = names.flatMap((name) => [0, 1].map((partition) => ({ topic: name, partition })));
    const reader = await openReader(log, options(unique('group'), names), {
      onAssigned: (_, consumer) => consumer.pause(all),
    });
    await reader.until('the assignment', () => reader.tasks() !== null);
    await producer.send(outgoing(topic, 'a', '0'));
    await world.pass(world.timing.sessionTimeoutMs * 1.4);
    expect(reader.consumer.lastProgressAgeMs()).toBeLessThan(world.timing.sessionTimeoutMs / 2);
    expect(reader.calls).toEqual(['assigned 0,1 #1']);
    reader.consumer.resume(all);
    await reader.until('the record', () => reader.records.length === 1);
    expect(reader.calls).toEqual(['assigned 0,1 #1']);
    await reader.consumer.stop();
  });

  test('a commit that the log does not hold is reported and reading starts at the beginning', async () => {
    const { log, topics, options, admin } = bench();
    const [topic = ''] = await topics(1, 1);
    const group = unique('group');
    await sendNumbered(bench(), topic, 0, 3);
    const first = await openReader(log, options(group, [topic]));
    await first.until('three', () => first.records.length === 3);
    await first.consumer.commit([{ topic, partition: 0, offset: 1_000 }]);
    await first.consumer.stop();
    expect(await admin.lag(group, [topic])).toMatchObject([{ committed: 1_000, start: 0, end: 3 }]);
    const second = await openReader(log, options(group, [topic]));
    await second.until('three again', () => second.records.length === 3);
    await second.consumer.stop();
    expect(second.calls).toContain(`reset ${topic}/0 1000>0`);
  });

  test('nothing is delivered or called after stop', async () => {
    const { log, topics, options, world } = bench();
    const [topic = ''] = await topics(1, 1);
    const reader = await openReader(log, options(unique('group'), [topic]));
    await reader.until('the assignment', () => reader.tasks() !== null);
    await reader.consumer.stop();
    const calls = reader.calls.length;
    await sendNumbered(bench(), topic, 0, 3);
    await world.pass(3 * world.timing.maxWaitMs);
    await reader.consumer.stop();
    expect(reader.records).toEqual([]);
    expect(reader.calls).toHaveLength(calls);
  });

  test('a member that stops before it has joined does not join later', async () => {
    const { log, topics, options, world, admin } = bench();
    const [topic = ''] = await topics(1, 1);
    const group = unique('group');
    const reader = await openReader(log, options(group, [topic]));
    await reader.consumer.stop();
    const next = await openReader(log, options(group, [topic]));
    await next.until('the task', () => next.tasks()?.length === 1);
    await world.pass(3 * world.timing.maxWaitMs);
    await next.consumer.stop();
    expect(reader.calls).toEqual([]);
    expect(await admin.lag(group, [topic])).toHaveLength(1);
  });
}
