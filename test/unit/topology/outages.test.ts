import { expect, test } from 'vitest';
import { Fault } from '../../../src/runtime/fault.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { outages, Stopped } from '../../../src/topology/outages.ts';

const AWAY = new Fault('STATE_UNAVAILABLE', 'away', { retriable: true });

function someOutages() {
  const time = virtualTime(1_000);
  const [stopping, ending] = [new AbortController(), new AbortController()];
  const all = outages(
    { ...time, logger: silentLogger },
    { stopping: stopping.signal, ending: ending.signal },
  );
  return { time, all, stopping, ending };
}

/** Fails `times` times, then answers; counts the tries. */
function failing(times: number, error: Error = AWAY) {
  const work = () => {
    work.tries += 1;
    return work.tries > times ? Promise.resolve('answer') : Promise.reject(error);
  };
  work.tries = 0;
  return work;
}

/** What came of it, as soon as something did. */
function watched(promise: Promise<unknown>) {
  const seen: { end: unknown } = { end: 'pending' };
  promise.then(
    (value) => {
      seen.end = value;
    },
    (error: unknown) => {
      seen.end = error;
    },
  );
  return seen;
}

test('work waits for a server that is away, and the outage is named with its beginning', async () => {
  const { time, all } = someOutages();
  const ridden = watched(all.riding('postgres', failing(3)));
  await time.settle();
  expect([...all.current()]).toEqual([['postgres', 1_000]]);
  await time.advance(100 + 200 + 400);
  expect(ridden.end).toBe('answer');
  expect(all.current().size).toBe(0);
});

test('tries come ever more slowly, but at least every two seconds', async () => {
  const { time, all } = someOutages();
  const work = failing(Number.POSITIVE_INFINITY);
  void all.riding('kafka', work);
  await time.advance(63_100);
  expect(work.tries).toBe(36);
});

test('a stop ends the waiting at once, and the work is left undone', async () => {
  const { time, all, stopping } = someOutages();
  const ridden = watched(all.riding('postgres', failing(Number.POSITIVE_INFINITY)));
  await time.advance(10_000);
  stopping.abort();
  await time.settle();
  expect(ridden.end).toBeInstanceOf(Stopped);
});

test('an answer that must be recorded is tried until the stop’s limit', async () => {
  const { time, all, stopping, ending } = someOutages();
  const ridden = watched(all.riding('postgres', failing(Number.POSITIVE_INFINITY), 'until-end'));
  stopping.abort();
  await time.advance(10_000);
  expect(ridden.end).toBe('pending');
  ending.abort();
  await time.settle();
  expect(ridden.end).toBeInstanceOf(Stopped);
});

test('what is no outage is thrown as it is', async () => {
  const { all } = someOutages();
  const refused = new Fault('STATE_CLOSED', 'closed', { retriable: false });
  await expect(all.riding('postgres', failing(1, refused))).rejects.toBe(refused);
  await expect(all.riding('postgres', failing(1, new RangeError('bug')))).rejects.toBeInstanceOf(RangeError);
  expect(all.current().size).toBe(0);
});
