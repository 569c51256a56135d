import { expect, test } from 'vitest';
import { MAX_WANTED_IDS, wantedIds } from '../../../src/relay/wanted-ids.ts';

test('announced ids are taken once, in portions, in their order', () => {
  const wanted = wantedIds();
  wanted.add(['a', 'b', 'c']);
  wanted.add(['b']);
  expect([wanted.take(2), wanted.take(2), wanted.take(2)]).toEqual([['a', 'b'], ['c'], []]);
  expect([wanted.takeLook(), wanted.isQuiet()]).toEqual([false, true]);
});

test('an announcement without ids asks for one look', () => {
  const wanted = wantedIds();
  wanted.add([]);
  expect([wanted.isQuiet(), wanted.takeLook(), wanted.takeLook()]).toEqual([false, true, false]);
});

test('more than fits is left to a look', () => {
  const wanted = wantedIds();
  const many = Array.from({ length: MAX_WANTED_IDS }, (_, index) => String(index));
  wanted.add(many);
  wanted.add(['one more']);
  expect(wanted.takeLook()).toBe(true);
  expect(wanted.take(MAX_WANTED_IDS * 2)).toHaveLength(MAX_WANTED_IDS);
});
