import { expect, test } from 'vitest';
import { ownership } from '../../../../src/broker/kafkajs/ownership.ts';

const at = (partition: number, topic = 'a') => ({ topic, partition });

test('a member owns its tasks from the assignment until the next one', () => {
  const owned = ownership(['a', 'b']);
  expect(owned.owns(at(0))).toBe(false);
  const generation = owned.assigned([0, 2]);
  expect([owned.owns(at(0)), owned.owns(at(2, 'b')), owned.owns(at(1)), owned.owns(at(0, 'other'))]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(owned.placed(generation)).toBe(true);
  expect(owned.joining()).toBe(true);
  expect(owned.owns(at(0))).toBe(true);
  owned.assigned([1]);
  expect([owned.owns(at(0)), owned.owns(at(1))]).toEqual([false, true]);
});

test('a rebalance is news once, and none before the first assignment', () => {
  const owned = ownership(['a']);
  expect(owned.joining()).toBe(false);
  owned.assigned([0]);
  expect([owned.joining(), owned.joining()]).toEqual([true, false]);
});

test('a placement of an older assignment does not count', () => {
  const owned = ownership(['a']);
  const first = owned.assigned([0]);
  owned.assigned([1]);
  expect(owned.placed(first)).toBe(false);
  expect(owned.phase()).toBe('placing');
});

test('a lost session owns nothing but asks for the same tasks again', () => {
  const owned = ownership(['a']);
  owned.assigned([3]);
  expect([owned.lost(), owned.lost()]).toEqual([true, false]);
  expect(owned.owns(at(3))).toBe(false);
  expect(owned.lastTasks()).toEqual([3]);
});

test('one that has left owns nothing whatever comes', () => {
  const owned = ownership(['a']);
  owned.assigned([0]);
  owned.leave();
  expect([owned.owns(at(0)), owned.joining(), owned.lost(), owned.phase()]).toEqual([
    false,
    false,
    false,
    'gone',
  ]);
});
