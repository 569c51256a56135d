import { expect, test } from 'vitest';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { storeClock } from '../../../src/topology/store-clock.ts';

test('before the first reading it is the local clock', () => {
  const { clock } = virtualTime(5_000);
  expect(storeClock(clock).nowMs()).toBe(5_000);
  expect(storeClock(clock).skewMs()).toBe(0);
});

test('a local clock that is wrong by an hour shows the store’s time', async () => {
  const { clock, advance } = virtualTime(3_605_000);
  const store = storeClock(clock);
  store.heard(5_000);
  expect(store.nowMs()).toBe(5_000);
  expect(store.skewMs()).toBe(3_600_000);
  await advance(250);
  expect(store.nowMs()).toBe(5_250);
});

test('whole milliseconds are rounded down, so that nothing starts early', () => {
  const { clock } = virtualTime(10_000);
  const store = storeClock(clock);
  store.heard(5_000.75);
  expect(store.nowMs()).toBe(5_000);
});

test('the last reading counts', () => {
  const { clock } = virtualTime(10_000);
  const store = storeClock(clock);
  store.heard(9_000);
  store.heard(9_900);
  expect(store.skewMs()).toBe(100);
});
