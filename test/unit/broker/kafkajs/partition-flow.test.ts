import { expect, test } from 'vitest';
import { partitionFlow } from '../../../../src/broker/kafkajs/partition-flow.ts';

const [zero, one] = [
  { topic: 't', partition: 0 },
  { topic: 't', partition: 1 },
] as const;

type Topics = readonly { readonly partitions?: number[] }[];

/** Remembers which partitions stand still, as kafkajs does. */
function client() {
  const paused = new Set<number>();
  return {
    paused,
    pause(topics: Topics) {
      for (const { partitions = [] } of topics) for (const partition of partitions) paused.add(partition);
    },
    resume(topics: Topics) {
      for (const { partitions = [] } of topics) for (const partition of partitions) paused.delete(partition);
    },
  };
}

test('a partition stands still while anybody has a reason', () => {
  const reader = client();
  const flow = partitionFlow(reader);
  flow.hold([zero, one]);
  flow.stop([zero], 'owner');
  flow.go([zero, one], 'placing');
  expect([...reader.paused]).toEqual([0]);
  expect([flow.flows(zero), flow.flows(one)]).toEqual([false, true]);
  flow.go([zero], 'owner');
  expect([...reader.paused]).toEqual([]);
});

test('the owner cannot let go what is not placed yet', () => {
  const reader = client();
  const flow = partitionFlow(reader);
  flow.hold([zero]);
  flow.go([zero], 'owner');
  expect([...reader.paused]).toEqual([0]);
});

test('a hold forgets what the owner had paused before', () => {
  const reader = client();
  const flow = partitionFlow(reader);
  flow.stop([zero, one], 'owner');
  flow.hold([zero]);
  flow.go([zero], 'placing');
  expect([flow.flows(zero), flow.flows(one)]).toEqual([true, true]);
});

test('a client without a group is not in the way', () => {
  const flow = partitionFlow({
    pause() {
      throw new TypeError('no group');
    },
    resume: () => undefined,
  });
  flow.stop([zero], 'owner');
  expect(flow.flows(zero)).toBe(false);
});

test('a resting partition is not asked for, and what it brings may still be handed on', () => {
  const reader = client();
  const flow = partitionFlow(reader);
  flow.stop([zero], 'resting');
  expect([[...reader.paused], flow.flows(zero)]).toEqual([[0], true]);
  flow.stop([zero], 'owner');
  flow.go([zero], 'resting');
  expect([[...reader.paused], flow.flows(zero)]).toEqual([[0], false]);
});
