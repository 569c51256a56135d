import { expect, test } from 'vitest';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { wakeHeap } from '../../../src/topology/wake-heap.ts';

function aHeap(maxEntries = 100) {
  const time = virtualTime(0);
  const woken: string[] = [];
  const heap = wakeHeap(time, maxEntries);
  const add = (dueAtMs: number, name: string, owner: object = {}) =>
    heap.add(dueAtMs, owner, () => woken.push(`${name}@${time.clock.nowMs()}`));
  return { time, heap, add, woken };
}

test('entries wake in the order of their due times, each at its time', async () => {
  const { time, add, woken } = aHeap();
  add(300, 'c');
  add(100, 'a');
  add(200, 'b');
  await time.advance(1_000);
  expect(woken).toEqual(['a@100', 'b@200', 'c@300']);
});

test('an entry that is due already wakes without a wait, but not inside the call', async () => {
  const { time, add, woken } = aHeap();
  add(-5, 'late');
  expect(woken).toEqual([]);
  await time.settle();
  expect(woken).toEqual(['late@0']);
});

test('an earlier entry that comes later is not kept waiting by the timer of the first', async () => {
  const { time, add, woken } = aHeap();
  add(1_000, 'slow');
  await time.advance(10);
  add(20, 'quick');
  await time.advance(90);
  expect(woken).toEqual(['quick@20']);
  await time.advance(2_000);
  expect(woken).toEqual(['quick@20', 'slow@1000']);
});

test('it says when it is full', () => {
  const { heap, add } = aHeap(2);
  add(1, 'a');
  expect(heap.isFull()).toBe(false);
  add(2, 'b');
  expect(heap.isFull()).toBe(true);
});

test('what its owner forgot never wakes, and the others still do', async () => {
  const { time, heap, add, woken } = aHeap();
  const lost = {};
  add(10, 'lost', lost);
  add(20, 'kept');
  add(30, 'lost', lost);
  heap.forget(lost);
  expect(heap.size()).toBe(1);
  await time.advance(100);
  expect(woken).toEqual(['kept@20']);
});
