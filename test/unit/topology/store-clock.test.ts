import { expect, test } from 'vitest';
import { type VirtualTime, virtualTime } from '../../../src/runtime/virtual-time.ts';
import { type StoreClock, storeClock } from '../../../src/topology/store-clock.ts';

/** An answer that was read at the store when it said `storeNowMs`, and was `wayMs` on its way back. */
async function hear(store: StoreClock, time: VirtualTime, storeNowMs: number, wayMs = 0): Promise<void> {
  await store.reading(async () => {
    await time.advance(wayMs);
    return { nowMs: storeNowMs };
  });
}

test('before the first reading it is the local clock', () => {
  const { clock } = virtualTime(5_000);
  expect(storeClock(clock).nowMs()).toBe(5_000);
  expect(storeClock(clock).skewMs()).toBe(0);
});

test('a local clock that is wrong by an hour shows the store’s time', async () => {
  const time = virtualTime(3_605_000);
  const store = storeClock(time.clock);
  await hear(store, time, 5_000);
  expect(store.nowMs()).toBe(5_000);
  expect(store.skewMs()).toBe(3_600_000);
  await time.advance(250);
  expect(store.nowMs()).toBe(5_250);
});

test('whole milliseconds are rounded down, so that nothing starts early', async () => {
  const time = virtualTime(10_000);
  const store = storeClock(time.clock);
  await hear(store, time, 5_000.75);
  expect(store.nowMs()).toBe(5_000);
});

test('the last quick reading counts, late by its way back', async () => {
  const time = virtualTime(10_000);
  const store = storeClock(time.clock);
  await hear(store, time, 9_000);
  await hear(store, time, 9_900, 300);
  expect(store.nowMs()).toBe(9_900);
});

test('a reading that was long on its way does not replace a better one', async () => {
  const time = virtualTime(10_000);
  const store = storeClock(time.clock);
  await hear(store, time, 10_000);
  await hear(store, time, 10_001, 30_000);
  expect(store.nowMs()).toBe(40_000);
});

test('a reading that was long on its way counts where it contradicts what is known', async () => {
  const time = virtualTime(10_000);
  const store = storeClock(time.clock);
  await hear(store, time, 10_000);
  await hear(store, time, 90_000, 2_000);
  expect(store.nowMs()).toBe(90_000);
  await hear(store, time, 5_000, 2_000);
  expect(store.nowMs()).toBe(5_000);
});

test('at the start it asks until an answer came quickly', async () => {
  const time = virtualTime(10_000);
  const store = storeClock(time.clock);
  const waysMs = [30_000, 4_000, 10];
  await store.begin(async () => {
    const nowMs = time.clock.nowMs();
    await time.advance(waysMs.shift() ?? 0);
    return { nowMs };
  });
  expect(waysMs).toEqual([]);
  expect(store.nowMs()).toBe(time.clock.nowMs() - 10);
});
