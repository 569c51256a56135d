import { expect, test } from 'vitest';
import { watermark } from '../../../src/topology/watermark.ts';

test('nothing may be committed before something is done', () => {
  const marks = watermark();
  marks.taken(5);
  expect(marks.committable()).toBeNull();
  expect(marks.open()).toBe(1);
});

test('the watermark never passes a record that is not done', () => {
  const marks = watermark();
  for (const offset of [5, 6, 7]) marks.taken(offset);
  marks.done(6);
  marks.done(7);
  expect(marks.committable()).toBeNull();
  marks.done(5);
  expect(marks.committable()).toBe(8);
  expect(marks.open()).toBe(0);
});

test('gaps between offsets are nobody’s work', () => {
  const marks = watermark();
  for (const offset of [5, 90]) marks.taken(offset);
  marks.done(5);
  expect(marks.committable()).toBe(6);
  marks.done(90);
  expect(marks.committable()).toBe(91);
});

test('what was committed is not committed again until something moves', () => {
  const marks = watermark();
  for (const offset of [0, 1]) marks.taken(offset);
  marks.done(0);
  marks.committed(1);
  expect(marks.committable()).toBeNull();
  marks.done(1);
  expect(marks.committable()).toBe(2);
});

test('many thousand records leave nothing behind', () => {
  const marks = watermark();
  for (let offset = 0; offset < 5_000; offset += 1) marks.taken(offset);
  for (let offset = 4_999; offset > 0; offset -= 1) marks.done(offset);
  expect(marks.committable()).toBeNull();
  marks.done(0);
  expect(marks.committable()).toBe(5_000);
});
