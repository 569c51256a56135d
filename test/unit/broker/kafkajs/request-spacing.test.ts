import { expect, test } from 'vitest';
import { requestSpacing } from '../../../../src/broker/kafkajs/request-spacing.ts';
import { virtualTime } from '../../../../src/runtime/virtual-time.ts';

function resting(spacing: ReturnType<typeof requestSpacing>, signal?: AbortSignal) {
  const seen = { isOver: false };
  void spacing.rest(signal).then(() => {
    seen.isOver = true;
  });
  return seen;
}

test('the next request starts no sooner than the spacing after the last start', async () => {
  const time = virtualTime();
  const spacing = requestSpacing(time, 8);
  spacing.started();
  await time.advance(3);
  const rest = resting(spacing);
  await time.advance(4);
  expect(rest.isOver).toBe(false);
  await time.advance(1);
  expect(rest.isOver).toBe(true);
});

test('a request that took long is followed at once, and each start is rested once', async () => {
  const time = virtualTime();
  const spacing = requestSpacing(time, 8);
  spacing.started();
  await time.advance(8);
  expect((await settled(time, spacing)).isOver).toBe(true);
  spacing.started();
  const [first, second] = [resting(spacing), resting(spacing)];
  await time.settle();
  expect([first.isOver, second.isOver]).toEqual([false, true]);
});

test('an end does not wait for the rest', async () => {
  const time = virtualTime();
  const spacing = requestSpacing(time, 8);
  const closing = new AbortController();
  spacing.started();
  const rest = resting(spacing, closing.signal);
  closing.abort();
  await time.settle();
  expect(rest.isOver).toBe(true);
});

async function settled(time: ReturnType<typeof virtualTime>, spacing: ReturnType<typeof requestSpacing>) {
  const rest = resting(spacing);
  await time.settle();
  return rest;
}
