import { expect, test } from 'vitest';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { type DecodeAnswer, violation } from '../../../src/streams/decode-answer.ts';
import {
  UNKNOWN_SCHEMA_HOLD_MS,
  UNKNOWN_SCHEMAS_IN_A_ROW,
} from '../../../src/streams/unknown-schema-alarm.ts';
import { outages } from '../../../src/topology/outages.ts';
import { schemaWatch } from '../../../src/topology/schema-watch.ts';

const UNKNOWN = violation('unknown-schema', 'not known');
const KNOWN: DecodeAnswer<string> = { kind: 'decoded', value: 'v' };

function aWatch() {
  const time = virtualTime(0);
  const signals = { stopping: new AbortController().signal, ending: new AbortController().signal };
  const away = outages({ ...time, logger: silentLogger }, signals);
  const watch = schemaWatch(time.clock, away);
  const read = (answer: () => DecodeAnswer<string>) => {
    const seen: { answer: DecodeAnswer<string> | null } = { answer: null };
    void watch
      .decode(() => Promise.resolve(answer()))
      .then((value) => {
        seen.answer = value;
      });
    return seen;
  };
  const readMany = (count: number, answer: DecodeAnswer<string> = UNKNOWN) =>
    Array.from({ length: count }, () => read(() => answer));
  return { time, away, read, readMany };
}

test('a few unknown schemas are violations like others', async () => {
  const { time, away, readMany } = aWatch();
  const few = readMany(UNKNOWN_SCHEMAS_IN_A_ROW - 1);
  await time.settle();
  expect(few.every(({ answer }) => answer === UNKNOWN)).toBe(true);
  expect(away.current().size).toBe(0);
});

test('many in a row wait as in an outage of the registry, and none of those is condemned', async () => {
  const { time, away, readMany } = aWatch();
  readMany(UNKNOWN_SCHEMAS_IN_A_ROW - 1);
  const held = readMany(50);
  await time.advance(UNKNOWN_SCHEMA_HOLD_MS - 1_000);
  expect(held.filter(({ answer }) => answer !== null)).toEqual([]);
  expect([...away.current().keys()]).toEqual(['registry']);
});

test('when the registry knows them again they are read', async () => {
  const { time, away, readMany, read } = aWatch();
  readMany(UNKNOWN_SCHEMAS_IN_A_ROW - 1);
  let answer: DecodeAnswer<string> = UNKNOWN;
  const held = read(() => answer);
  await time.advance(10_000);
  answer = KNOWN;
  await time.advance(2_000);
  expect(held.answer).toBe(KNOWN);
  expect(away.current().size).toBe(0);
});

test('records that say nothing about the registry neither alarm nor calm', async () => {
  const { time, readMany } = aWatch();
  readMany(UNKNOWN_SCHEMAS_IN_A_ROW - 1);
  const others = readMany(3, violation('null-key', 'no key'));
  const next = readMany(1);
  await time.settle();
  expect(others.every(({ answer }) => answer?.kind === 'violation')).toBe(true);
  expect(next[0]?.answer).toBeNull();
});
