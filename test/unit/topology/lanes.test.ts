import { expect, test } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { lanes } from '../../../src/topology/lanes.ts';

const nobody = () => undefined;

/** Work that ends when told, and says that it began. */
function gatedWork(began: string[], name: string) {
  let end: () => void = nobody;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    end: () => end(),
    work: () => {
      began.push(name);
      return ended;
    },
  };
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('work of one key waits for the work before it, work of another key does not', async () => {
  const began: string[] = [];
  const all = lanes(systemClock, 10, nobody, nobody);
  const [a1, a2, b1] = ['a1', 'a2', 'b1'].map((name) => gatedWork(began, name));
  if (a1 === undefined || a2 === undefined || b1 === undefined) throw new RangeError('three pieces');
  all.run('a', a1.work);
  all.run('a', a2.work);
  all.run('b', b1.work);
  await turn();
  expect(began).toEqual(['a1', 'b1']);
  a1.end();
  await turn();
  expect(began).toEqual(['a1', 'b1', 'a2']);
});

test('what waits behind its key takes a place, and an end is told to whoever waits for room', async () => {
  const told: number[] = [];
  const all = lanes(systemClock, 2, () => told.push(all.inFlight()), nobody);
  const began: string[] = [];
  const first = gatedWork(began, 'first');
  all.run('a', first.work);
  expect(all.hasRoom()).toBe(true);
  all.run('a', () => Promise.resolve());
  expect(all.hasRoom()).toBe(false);
  first.end();
  await turn();
  expect(told).toEqual([1, 0]);
});

test('work that breaks is reported and its key goes on', async () => {
  const bugs: unknown[] = [];
  const all = lanes(systemClock, 10, nobody, (error) => bugs.push(error));
  const began: string[] = [];
  all.run('a', () => Promise.reject(new RangeError('a bug')));
  all.run('a', () => {
    began.push('second');
    return Promise.resolve();
  });
  await all.idle();
  expect(began).toEqual(['second']);
  expect(bugs).toEqual([new RangeError('a bug')]);
});

test('idle resolves at once when nothing runs, else after the last piece', async () => {
  const all = lanes(systemClock, 10, nobody, nobody);
  await all.idle();
  const piece = gatedWork([], 'piece');
  all.run('a', piece.work);
  let isIdle = false;
  const idle = all.idle().then(() => {
    isIdle = true;
  });
  await turn();
  expect(isIdle).toBe(false);
  piece.end();
  await idle;
  expect(all.inFlight()).toBe(0);
});
