import { expect, test } from 'vitest';
import { invariant } from '../../../src/runtime/fault.ts';
import { type VirtualTime, virtualTime } from '../../../src/runtime/virtual-time.ts';
import {
  type Grant,
  MAX_QUEUE_WAIT_MS,
  PARKED_BACK_PER_SECOND,
  type PermitSettings,
  permits,
} from '../../../src/topology/permits.ts';
import type { Permit } from '../../../src/topology/places.ts';

/** Asks, and says what the answer is as soon as there is one. */
function asking(grant: Promise<Grant>) {
  const asked: { grant: Grant | null } = { grant: null };
  void grant.then((answer) => {
    asked.grant = answer;
  });
  return asked;
}

function somePermits(settings: Partial<PermitSettings> = {}, time: VirtualTime = virtualTime(0)) {
  const all = permits(time, { maxConcurrency: 2, ratePerSecond: null, claimsAhead: true, ...settings });
  const ask = async (isWoken = false) => {
    const asked = asking(all.acquire(isWoken));
    await time.settle();
    return asked;
  };
  return { time, all, ask };
}

function held(asked: { grant: Grant | null }) {
  invariant(asked.grant?.kind === 'permit', `not a permit: ${asked.grant?.kind ?? 'no answer yet'}`);
  return asked.grant.permit;
}

/** The place comes back after a call. */
function afterCall(permit: Permit): void {
  void permit.place();
  permit.release();
}

test('as many calls run at once as the provider takes, the next waits for the end of one', async () => {
  const { time, all, ask } = somePermits();
  const [first, , third] = [await ask(), await ask(), await ask()];
  expect(all.inUse()).toBe(2);
  expect(third.grant).toBeNull();
  afterCall(held(first));
  await time.settle();
  expect(third.grant?.kind).toBe('permit');
});

test('a permit that is given back twice frees one place', async () => {
  const { time, all, ask } = somePermits();
  const first = held(await ask());
  await ask();
  const waiting = [await ask(), await ask()];
  afterCall(first);
  afterCall(first);
  await time.settle();
  expect(waiting.map(({ grant }) => grant?.kind ?? null)).toEqual(['permit', null]);
  expect(all.inUse()).toBe(2);
});

test('rows that were woken go before new ones', async () => {
  const { time, ask } = somePermits({ maxConcurrency: 1 });
  const first = held(await ask());
  const [fresh, woken] = [await ask(false), await ask(true)];
  afterCall(first);
  await time.settle();
  expect([woken.grant?.kind, fresh.grant]).toEqual(['permit', null]);
});

test('a queue that would take five seconds parks, each row behind the one before', async () => {
  const { time, ask } = somePermits({ ratePerSecond: 2 });
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  for (let row = 0; row < 15; row += 1) answers.push(await ask());
  await time.settle();
  const parked = answers.flatMap(({ grant }) => (grant?.kind === 'park' ? [grant.waitMs] : []));
  const waiting = answers.filter(({ grant }) => grant === null);
  expect(waiting).toHaveLength(9);
  expect(parked).toEqual([5_500, 6_000, 6_500, 7_000]);
});

test('a rate is kept: a burst of one second, then one by one', async () => {
  const { time, ask } = somePermits({ maxConcurrency: 100, ratePerSecond: 4 });
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  for (let row = 0; row < 12; row += 1) answers.push(await ask());
  const granted = () => answers.filter(({ grant }) => grant?.kind === 'permit').length;
  expect(granted()).toBe(4);
  await time.advance(249);
  expect(granted()).toBe(4);
  await time.advance(1);
  expect(granted()).toBe(5);
  await time.advance(1_000);
  expect(granted()).toBe(9);
});

test('a provider that begins to hang is noticed before its first call ends', async () => {
  const { time, ask } = somePermits({ maxConcurrency: 2 });
  void held(await ask()).place();
  void held(await ask()).place();
  await time.advance(4_000);
  const answers = [await ask(), await ask(), await ask()];
  expect(answers.map(({ grant }) => grant?.kind ?? null)).toEqual([null, null, 'park']);
});

test('a provider that hangs for a while sends no row away for longer than the rows before it need at 200 a second', async () => {
  const { time, ask } = somePermits({ maxConcurrency: 1 });
  void held(await ask()).place();
  await time.advance(60_000);
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  for (let row = 0; row < 1_000; row += 1) answers.push(await ask());
  const waits = answers.flatMap(({ grant }) => (grant?.kind === 'park' ? [grant.waitMs] : []));
  expect(waits).toHaveLength(1_000);
  expect(Math.min(...waits)).toBe(MAX_QUEUE_WAIT_MS + 1_000 / PARKED_BACK_PER_SECOND);
  expect(Math.max(...waits)).toBe(MAX_QUEUE_WAIT_MS + (1_000 * 1_000) / PARKED_BACK_PER_SECOND);
});

test('the time that our own claim takes is not the provider’s', async () => {
  const { time, ask } = somePermits({ maxConcurrency: 2 });
  await ask();
  await ask();
  await time.advance(4_000);
  const answers = [await ask(), await ask(), await ask()];
  expect(answers.map(({ grant }) => grant)).toEqual([null, null, null]);
});

test('nobody waits longer than five seconds, whatever the estimate was', async () => {
  const { time, all, ask } = somePermits({ maxConcurrency: 1 });
  await ask();
  const waiting = await ask();
  await time.advance(MAX_QUEUE_WAIT_MS - 1);
  expect(waiting.grant).toBeNull();
  await time.advance(1);
  expect(waiting.grant).toMatchObject({ kind: 'park' });
  expect(all.queued()).toBe(0);
});

test('a row that must not wait gets a permit at once or none, and jumps no queue', async () => {
  const { time, all, ask } = somePermits({ maxConcurrency: 1 });
  const only = all.tryAcquire();
  expect(only).not.toBeNull();
  expect(all.tryAcquire()).toBeNull();
  const waiting = await ask();
  only?.release();
  await time.settle();
  expect(waiting.grant?.kind).toBe('permit');
  held(waiting).release();
  expect(all.tryAcquire()).not.toBeNull();
});

test('after a gate opened, calls go one at a time, then more with each answer', async () => {
  const { time, all, ask } = somePermits({ maxConcurrency: 4 });
  all.slowStart();
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  for (let row = 0; row < 12; row += 1) answers.push(await ask());
  const granted = () => answers.filter(({ grant }) => grant?.kind === 'permit');
  const inUseAfter: number[] = [];
  for (let ended = 0; ended < 6; ended += 1) {
    const next = granted()[ended];
    if (next !== undefined) afterCall(held(next));
    await time.settle();
    inUseAfter.push(all.inUse());
  }
  expect(inUseAfter).toEqual([2, 3, 4, 4, 4, 4]);
});

test('a place that is given back without a call speeds nothing up', async () => {
  const { time, all, ask } = somePermits({ maxConcurrency: 4 });
  all.slowStart();
  const answers = [await ask(), await ask(), await ask()];
  held(answers[0] ?? { grant: null }).release();
  await time.settle();
  expect(all.inUse()).toBe(1);
});

/** Permits of a provider whose calls take 100 ms, as each claim does unless `claimMs` says otherwise. */
async function withDearClaims(settings: Partial<PermitSettings> = {}, claimMs = 100) {
  const some = somePermits({ maxConcurrency: 4, ...settings });
  for (let call = 0; call < 100; call += 1) {
    const permit = held(await some.ask());
    await some.time.advance(claimMs);
    await permit.place();
    await some.time.advance(100);
    permit.release();
  }
  return some;
}

test('while calls fill the places, as many more as half of them may claim, and wait for a place in turn', async () => {
  const { time, ask, all } = await withDearClaims();
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  for (let row = 0; row < 8; row += 1) answers.push(await ask());
  const granted = answers.flatMap(({ grant }) => (grant?.kind === 'permit' ? [grant.permit] : []));
  expect(granted).toHaveLength(6);
  const places = granted.map((permit) => permit.place());
  expect(places.map((place) => place === null)).toEqual([true, true, true, true, false, false]);
  const seated: number[] = [];
  for (const [row, place] of places.entries()) void place?.then(() => seated.push(row));
  granted[2]?.release();
  await time.settle();
  expect(seated).toEqual([4]);
  granted[4]?.release();
  await time.settle();
  expect(seated).toEqual([4, 5]);
  expect(all.inUse()).toBe(6);
});

test('who gives up while it waits for a place takes none', async () => {
  const { time, ask } = await withDearClaims();
  const granted: Permit[] = [];
  for (let row = 0; row < 6; row += 1) granted.push(held(await ask()));
  const places = granted.map((permit) => permit.place());
  const seated: number[] = [];
  for (const [row, place] of places.entries()) void place?.then(() => seated.push(row));
  granted[4]?.release();
  granted[0]?.release();
  await time.settle();
  expect(seated).toEqual([5]);
});

test.each([
  ['claims that are quick beside the calls', { claimsAhead: true }, 10],
  ['a provider that cannot say whether a lost call arrived', { claimsAhead: false }, 100],
])('nobody claims ahead of the places: %s', async (_why, settings, claimMs) => {
  const { ask } = await withDearClaims(settings, claimMs);
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  for (let row = 0; row < 8; row += 1) answers.push(await ask());
  expect(answers.filter(({ grant }) => grant?.kind === 'permit')).toHaveLength(4);
});

test('a provider that hangs, or was just opened, has nobody claim ahead', async () => {
  const { time, all, ask } = await withDearClaims();
  for (let row = 0; row < 4; row += 1) void held(await ask()).place();
  await time.advance(2_000);
  expect((await ask()).grant).toBeNull();
  const opened = await withDearClaims();
  opened.all.slowStart();
  const first = held(await opened.ask());
  expect((await opened.ask()).grant).toBeNull();
  // It makes two places of one, and whoever waited takes the first.
  afterCall(first);
  await opened.ask();
  expect((await opened.ask()).grant).toBeNull();
  expect(opened.all.inUse()).toBe(2);
  expect(all.inUse()).toBe(4);
});

test('a stop answers everybody in the queue, and everybody after', async () => {
  const { time, all, ask } = somePermits({ maxConcurrency: 1 });
  await ask();
  const waiting = [await ask(true), await ask(false)];
  all.stop();
  await time.settle();
  const late = await ask();
  expect([...waiting, late].map(({ grant }) => grant?.kind)).toEqual(['stopped', 'stopped', 'stopped']);
  expect(all.tryAcquire()).toBeNull();
});
