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

test('only so many are remembered, the newest', () => {
  const memory = publishedMemory();
  memory.note(owing.id, 1);
  for (let n = 2; n <= 8_193; n += 1) memory.note(anId(n), 1);
  expect(memory.applyTo(owing)).toBe(owing);
  expect(memory.applyTo({ ...owing, id: anId(8_193) })).toMatchObject({ publishedSeq: 1 });
});
