import type { EachBatchPayload } from 'kafkajs';
import { expect, test } from 'vitest';
import { delivery } from '../../../../src/broker/kafkajs/delivery.ts';
import { ownership } from '../../../../src/broker/kafkajs/ownership.ts';
import { partitionFlow } from '../../../../src/broker/kafkajs/partition-flow.ts';
import type { LogRecord } from '../../../../src/broker/log.ts';
import { virtualTime } from '../../../../src/runtime/virtual-time.ts';

const at = { topic: 't', partition: 0 };

function setup(take: (records: readonly LogRecord[]) => number) {
  const time = virtualTime();
  const owned = ownership(['t']);
  owned.placed(owned.assigned([0]));
  const flow = partitionFlow({ pause: () => undefined, resume: () => undefined });
  const offered: number[][] = [];
  const broken: unknown[] = [];
  const pump = delivery({
    timers: time.timers,
    ownership: owned,
    flow,
    spacing: { rest: () => Promise.resolve() },
    rest: { delivered: () => undefined },
    handlers: {
      onRecords(_, records) {
        offered.push(records.map(({ offset }) => offset));
        return take(records);
      },
    },
    onBroken: (error) => broken.push(error),
  });
  return { time, owned, flow, offered, broken, pump };
}

/** A fetched batch of `offsets`; the log's last offset of it is one more when a control record follows. */
function batch(
  offsets: readonly number[],
  given: { stale?: boolean; heartbeat?: () => Promise<void>; last?: number } = {},
) {
  const resolved: string[] = [];
  const messages = offsets.map((offset) => ({
    offset: String(offset),
    timestamp: '1',
    key: null,
    value: null,
    headers: {},
  }));
  const payload = {
    batch: { ...at, messages, lastOffset: () => String(given.last ?? offsets.at(-1)) },
    resolveOffset: (offset: string) => resolved.push(offset),
    heartbeat: given.heartbeat ?? (() => Promise.resolve()),
    isStale: () => given.stale ?? false,
  } as unknown as EachBatchPayload;
  return { payload, resolved };
}

test('what is taken is resolved, and the position follows the control record behind it', async () => {
  const { pump } = setup((records) => records.length);
  const { payload, resolved } = batch([4, 5, 6], { last: 7 });
  await pump.eachBatch(payload);
  expect(resolved).toEqual(['6']);
  expect(pump.position(at)).toBe(8);
});

test('only the taken front is resolved', async () => {
  const { pump, flow } = setup(() => 2);
  flow.stop([at], 'reoffer');
  flow.go([at], 'reoffer');
  const { payload, resolved } = batch([4, 5, 6]);
  await pump.eachBatch(payload);
  expect(resolved).toEqual(['5']);
  expect(pump.position(at)).toBe(6);
});

test('a reader that took less without pausing is left alone for a moment', async () => {
  const { pump, flow, time } = setup(() => 0);
  const { payload, resolved } = batch([4]);
  await pump.eachBatch(payload);
  expect(resolved).toEqual([]);
  expect(flow.flows(at)).toBe(false);
  await time.advance(100);
  expect(flow.flows(at)).toBe(true);
});

test('nothing is delivered while a rebalance runs, of foreign, stale or standing partitions', async () => {
  const { pump, owned, flow, offered } = setup((records) => records.length);
  await pump.eachBatch(batch([1], { stale: true }).payload);
  flow.stop([at], 'owner');
  await pump.eachBatch(batch([1]).payload);
  flow.go([at], 'owner');
  owned.joining();
  await pump.eachBatch(batch([1]).payload);
  owned.placed(owned.assigned([1]));
  await pump.eachBatch(batch([1]).payload);
  expect(offered).toEqual([]);
});

test('after a fenced heartbeat nothing more is delivered until the next assignment', async () => {
  const { pump, owned, offered } = setup((records) => records.length);
  const fenced = Object.assign(new Error('fenced'), { type: 'ILLEGAL_GENERATION' });
  await expect(pump.eachBatch(batch([1], { heartbeat: () => Promise.reject(fenced) }).payload)).rejects.toBe(
    fenced,
  );
  await pump.eachBatch(batch([2]).payload);
  owned.placed(owned.assigned([0]));
  await pump.eachBatch(batch([3]).payload);
  expect(offered).toEqual([[1], [3]]);
});

test('a heartbeat that failed for another reason holds nothing up', async () => {
  const { pump, offered } = setup((records) => records.length);
  const heartbeat = () => Promise.reject(new Error('connection reset'));
  await expect(pump.eachBatch(batch([1], { heartbeat }).payload)).rejects.toThrow('connection reset');
  await pump.eachBatch(batch([2]).payload);
  expect(offered).toEqual([[1], [2]]);
});

test('a reader that throws ends the consumer, not the client', async () => {
  const { pump, broken } = setup(() => {
    throw new TypeError('a bug');
  });
  await pump.eachBatch(batch([1]).payload);
  expect(broken).toEqual([new TypeError('a bug')]);
});

test('a reader that takes more than it was offered is a bug', async () => {
  const { pump, broken } = setup((records) => records.length + 1);
  await pump.eachBatch(batch([1]).payload);
  expect(broken).toHaveLength(1);
});
