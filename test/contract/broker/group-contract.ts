// Several members: who gets which task, what a rebalance keeps and what it takes.
import { expect, test } from 'vitest';
import { type Bench, outgoing, sendNumbered } from './bench.ts';
import { openReader, type Reader, unique } from './log-reader.ts';

const TASKS = Array.from({ length: 12 }, (_, task) => task);

function settled(readers: readonly Reader[], total: number): boolean {
  const tasks = readers.flatMap((reader) => reader.tasks() ?? []);
  const loads = readers.map((reader) => reader.tasks()?.length ?? -1);
  const balanced = Math.max(...loads) - Math.min(...loads) <= 1 && Math.min(...loads) >= 0;
  return balanced && tasks.length === total && new Set(tasks).size === total;
}

const kept = (before: readonly number[], after: readonly number[] | null) =>
  before.filter((task) => after?.includes(task) === true).length;

export function groupContract(bench: () => Bench): void {
  test('a lone member gets every task, in numeric order, after its handle', async () => {
    const { log, topics, options } = bench();
    const reader = await openReader(log, options(unique('group'), await topics(3, 12)));
    await reader.until('an assignment', () => reader.tasks() !== null);
    await reader.consumer.stop();
    expect(reader.tasks()).toEqual(TASKS);
  });

  test('tasks move as little as possible when members join and leave, and stay whole over topics', async () => {
    const { world, topics, options, producer } = bench();
    const names = await topics(3, 12);
    const group = unique('group');
    const a = await openReader(world.log(), options(group, names, 'process-a'));
    await a.until('all tasks', () => a.tasks()?.length === 12);
    const b = await openReader(world.log(), options(group, names, 'process-b'));
    await b.until('half of them', () => settled([a, b], 12));
    const [ofA, ofB] = [[...(a.tasks() ?? [])], [...(b.tasks() ?? [])]];
    const c = await openReader(world.log(), options(group, names, 'process-c'));
    await c.until('a third', () => settled([a, b, c], 12));
    expect([kept(ofA, a.tasks()), kept(ofB, b.tasks())]).toEqual([4, 4]);

    const sends = names.flatMap((topic) =>
      TASKS.map((partition) => producer.send(outgoing(topic, 'k', 'v', { partition }))),
    );
    await Promise.all(sends);
    const readers = [a, b, c];
    const total = () => readers.reduce((sum, reader) => sum + reader.records.length, 0);
    await Promise.all(readers.map((reader) => reader.until('its share', () => reader.records.length === 12)));
    expect(total()).toBe(36);
    for (const reader of readers) {
      const seen = new Set(reader.records.map(({ partition }) => partition));
      expect([...seen].sort((x, y) => x - y)).toEqual(reader.tasks());
    }

    const ofC = [...(c.tasks() ?? [])];
    await b.consumer.stop();
    await a.until('the tasks of the one that left', () => settled([a, c], 12));
    expect([kept(ofA.slice(0, 4), a.tasks()), kept(ofC, c.tasks())]).toEqual([4, 4]);
    await Promise.all([a.consumer.stop(), c.consumer.stop()]);
  });

  test('a member that stops hands over at once, long before its session would end', async () => {
    const { world, topics, options } = bench();
    const names = await topics(2, 4);
    const group = unique('group');
    const a = await openReader(world.log(), options(group, names));
    await a.until('all', () => a.tasks()?.length === 4);
    const b = await openReader(world.log(), options(group, names));
    await b.until('half', () => settled([a, b], 4));
    const leftAtMs = world.nowMs();
    await a.consumer.stop();
    await b.until('all', () => b.tasks()?.length === 4);
    expect(world.nowMs() - leftAtMs).toBeLessThan(world.timing.sessionTimeoutMs / 2);
    await b.consumer.stop();
  });

  test('a rebalance is announced before it is over and starts again from the commits', async () => {
    const { world, topics, options } = bench();
    const [topic = ''] = await topics(1, 2);
    const group = unique('group');
    await sendNumbered(bench(), topic, 0, 4);
    await sendNumbered(bench(), topic, 1, 4);
    const a = await openReader(world.log(), options(group, [topic], 'process-a'));
    await a.until('eight', () => a.records.length === 8);
    await a.consumer.commit([0, 1].map((partition) => ({ topic, partition, offset: 3 })));
    const b = await openReader(world.log(), options(group, [topic], 'process-b'));
    await Promise.all([
      a.until('its uncommitted record again', () => a.records.length === 9),
      b.until('its own', () => b.records.length === 1),
    ]);
    await Promise.all([a.consumer.stop(), b.consumer.stop()]);
    expect(a.calls.slice(0, 3)).toEqual([
      'assigned 0,1 #1',
      'revoking',
      expect.stringMatching(/^assigned [01] #\d+$/),
    ]);
    expect(a.records[8]?.offset).toBe(3);
    expect(b.records[0]?.offset).toBe(3);
    expect(new Set([a.records[8]?.partition, b.records[0]?.partition])).toEqual(new Set([0, 1]));
  });

  test('a partition that was paused when it was lost flows when it comes back', async () => {
    const { world, topics, options } = bench();
    const [topic = ''] = await topics(1, 2);
    const group = unique('group');
    const a = await openReader(world.log(), options(group, [topic], 'process-a'));
    await a.until('both', () => a.tasks()?.length === 2);
    a.consumer.pause([0, 1].map((partition) => ({ topic, partition })));
    const b = await openReader(world.log(), options(group, [topic], 'process-b'));
    await b.until('one each', () => settled([a, b], 2));
    await b.consumer.stop();
    await a.until('both again', () => a.tasks()?.length === 2);
    await sendNumbered(bench(), topic, 0, 2);
    await sendNumbered(bench(), topic, 1, 2);
    await a.until('four', () => a.records.length === 4);
    await a.consumer.stop();
  });

  test('a commit for a partition of another member is left out', async () => {
    const { world, topics, options, admin } = bench();
    const [topic = ''] = await topics(1, 2);
    const group = unique('group');
    await sendNumbered(bench(), topic, 0, 9);
    await sendNumbered(bench(), topic, 1, 9);
    const a = await openReader(world.log(), options(group, [topic], 'process-a'));
    await a.until('both', () => a.tasks()?.length === 2);
    const b = await openReader(world.log(), options(group, [topic], 'process-b'));
    await b.until('one each', () => settled([a, b], 2));
    await b.until('its records', () => b.records.length === 9);
    const [own = -1] = b.tasks() ?? [];
    await b.consumer.commit([0, 1].map((partition) => ({ topic, partition, offset: 5 })));
    const committed = (await admin.lag(group, [topic])).map((lag) => lag.committed);
    expect(committed[own]).toBe(5);
    expect(committed[1 - own]).not.toBe(5);
    await Promise.all([a.consumer.stop(), b.consumer.stop()]);
  });

  test('a member too many gets no task and takes over when one leaves', async () => {
    const { world, topics, options } = bench();
    const [topic = ''] = await topics(1, 1);
    const group = unique('group');
    const a = await openReader(world.log(), options(group, [topic]));
    await a.until('the task', () => a.tasks()?.length === 1);
    const b = await openReader(world.log(), options(group, [topic]));
    await b.until('an assignment', () => b.tasks() !== null);
    await (a.tasks()?.length === 1 ? a : b).consumer.stop();
    const left = a.tasks()?.length === 1 ? b : a;
    await left.until('the task', () => left.tasks()?.length === 1);
    await sendNumbered(bench(), topic, 0, 1);
    await left.until('its record', () => left.records.length === 1);
    await left.consumer.stop();
  });

  test('topics of unequal partition counts and unknown topics are refused before joining', async () => {
    const { log, topics, options } = bench();
    const [two = ''] = await topics(1, 2);
    const [three = ''] = await topics(1, 3);
    await expect(openReader(log, options(unique('group'), [two, three]))).rejects.toMatchObject({
      code: 'LOG_TOPICS_UNEQUAL',
      retriable: false,
    });
    await expect(openReader(log, options(unique('group'), [unique('missing')]))).rejects.toMatchObject({
      code: 'LOG_TOPIC_UNKNOWN',
      retriable: false,
    });
  });
}
