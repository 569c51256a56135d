import { expect, test } from 'vitest';
import { afterLook, firstLook, isFullLook, type LookRules } from '../../../src/relay/look-schedule.ts';

const rules: LookRules = { minPauseMs: 50, maxPauseMs: 1_000, minFullEveryMs: 5_000, isOrdered: true };
const look = { isFull: false, found: 0, startedMs: 100, endedMs: 110 };

test('the first look is over everything, at once', () => {
  const state = firstLook(100, rules);
  expect([state.nextAtMs, isFullLook(state, 100, rules)]).toEqual([100, true]);
});

test('pauses double while nothing is found, up to the longest, and are short again after a find', () => {
  let state = firstLook(0, rules);
  const pauses: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    state = afterLook(state, look, rules);
    pauses.push(state.nextAtMs - look.endedMs);
  }
  expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  expect(afterLook(state, { ...look, found: 3 }, rules).nextAtMs).toBe(160);
});

test('a look over everything comes back after its share of the time, however long it took', () => {
  const quick = afterLook(firstLook(0, rules), { ...look, isFull: true }, rules);
  expect(quick.fullAtMs).toBe(110 + 5_000);
  const long = afterLook(quick, { isFull: true, found: 0, startedMs: 0, endedMs: 2_000 }, rules);
  expect(long.fullAtMs).toBe(2_000 + 40_000);
  expect([isFullLook(long, 41_999, rules), isFullLook(long, 42_000, rules)]).toEqual([false, true]);
});

test('without an order every look is over everything, and rests longer the longer it took', () => {
  const unordered = { ...rules, isOrdered: false };
  const state = afterLook(firstLook(0, unordered), { ...look, endedMs: 1_100, found: 1 }, unordered);
  expect([isFullLook(state, 0, unordered), state.nextAtMs]).toEqual([true, 1_100 + 4_000]);
});
