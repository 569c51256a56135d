import { expect, test } from 'vitest';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { claimFence, heldClaims } from '../../../src/topology/claim-fence.ts';

const LEASE_MS = 45_000;
const DEADLINE_MS = 15_000;
const aFence = (time = virtualTime(0)) => claimFence(time.clock, LEASE_MS, DEADLINE_MS);

test('a claim starts once', () => {
  const fence = aFence();
  expect(fence.mayStart()).toBe(true);
  expect(fence.mayStart()).toBe(false);
});

test('a claim that is sending is not released', async () => {
  const fence = aFence();
  fence.mayStart();
  expect(fence.release()).toBe(false);
  const first = await Promise.race([fence.released.then(() => 'released'), Promise.resolve('nothing')]);
  expect(first).toBe('nothing');
});

test('a claim that is released never starts, and says so', async () => {
  const fence = aFence();
  expect(fence.release()).toBe(true);
  expect(fence.mayStart()).toBe(false);
  expect(fence.release()).toBe(true);
  await fence.released;
});

test('a claim too old for a whole call before its lease ends does not start, and is free', async () => {
  const time = virtualTime(0);
  const [young, old] = [aFence(time), aFence(time)];
  await time.advance(LEASE_MS - DEADLINE_MS - 1);
  expect(young.mayStart()).toBe(true);
  await time.advance(1);
  expect(old.mayStart()).toBe(false);
  expect(old.release()).toBe(true);
});

test('the claims of a lost task are released, those of other tasks are not', () => {
  const [lost, kept, settled] = [aFence(), aFence(), aFence()];
  const claims = heldClaims();
  claims.add(lost, 1);
  claims.add(kept, 2);
  claims.add(settled, 1);
  claims.remove(settled);
  claims.release(1);
  expect([lost, kept, settled].map((fence) => fence.mayStart())).toEqual([false, true, true]);
});

test('a stop releases the claims of all tasks', () => {
  const fences = [aFence(), aFence()];
  const claims = heldClaims();
  for (const [partition, fence] of fences.entries()) claims.add(fence, partition);
  claims.release(null);
  expect(fences.map((fence) => fence.mayStart())).toEqual([false, false]);
});
