import { expect, test } from 'vitest';
import { publishedMemory } from '../../../src/topology/published-memory.ts';
import { anId, aSent } from '../../support/a-notification.ts';

const owing = aSent({ publishedSeq: 0, wakeAtMs: 5, wakeInLog: true });

test('a row whose outcome was acknowledged here owes nothing, whatever the table says yet', () => {
  const memory = publishedMemory();
  memory.note(owing.id, 1);
  expect(memory.applyTo(owing)).toEqual({ ...owing, publishedSeq: 1, wakeAtMs: null, wakeInLog: false });
});

test('a newer outcome, another row, or one that owes nothing is as the table says', () => {
  const memory = publishedMemory();
  memory.note(owing.id, 1);
  for (const row of [{ ...owing, outcomeSeq: 2 }, { ...owing, id: anId(2) }, aSent({ wakeAtMs: 7 })])
    expect(memory.applyTo(row)).toBe(row);
});

test('at least 8,192 are remembered, the newest; the oldest are forgotten', () => {
  const memory = publishedMemory();
  memory.note(owing.id, 1);
  for (let n = 2; n <= 8_192; n += 1) memory.note(anId(n), 1);
  expect(memory.applyTo(owing)).toMatchObject({ publishedSeq: 1 });
  for (let n = 8_193; n <= 16_384; n += 1) memory.note(anId(n), 1);
  expect(memory.applyTo(owing)).toBe(owing);
  expect(memory.applyTo({ ...owing, id: anId(8_193) })).toMatchObject({ publishedSeq: 1 });
  expect(memory.applyTo({ ...owing, id: anId(16_384) })).toMatchObject({ publishedSeq: 1 });
});

test('what is noted again is remembered as it was noted last', () => {
  const memory = publishedMemory();
  for (let n = 1; n <= 8_192; n += 1) memory.note(anId(n), 1);
  memory.note(anId(5), 2);
  const row = { ...owing, id: anId(5), outcomeSeq: 2 };
  expect(memory.applyTo(row)).toMatchObject({ publishedSeq: 2 });
  expect(memory.applyTo({ ...row, outcomeSeq: 1 })).toEqual({ ...row, outcomeSeq: 1 });
});
