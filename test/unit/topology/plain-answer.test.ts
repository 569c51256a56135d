import { expect, test } from 'vitest';
import { plainAnswer } from '../../../src/topology/plain-answer.ts';

const accepted = (providerMessageId: string) => ({ kind: 'accepted', providerMessageId }) as const;

test('a plain answer stays as it is', () => {
  expect(plainAnswer(accepted('msg-ü-🚀-1'), 'ours')).toEqual(accepted('msg-ü-🚀-1'));
  expect(plainAnswer({ kind: 'absent' }, 'ours')).toEqual({ kind: 'absent' });
  expect(plainAnswer({ kind: 'not-started' }, 'ours')).toEqual({ kind: 'not-started' });
});

test('what the table cannot hold goes from a message id', () => {
  expect(plainAnswer(accepted('a\0b\nc\ud83dd'), 'ours')).toEqual(accepted('abcd'));
});

test('an id that is cut never ends in half a character', () => {
  const { providerMessageId } = plainAnswer(accepted(`${'x'.repeat(255)}🚀`), 'ours');
  expect(providerMessageId).toBe('x'.repeat(255));
});

test('an id with nothing printable gives way to one of ours, and stays an acceptance', () => {
  expect(plainAnswer(accepted('\0'), 'ours')).toEqual(accepted('ours'));
});

test('a code keeps only what a code may hold', () => {
  expect(plainAnswer({ kind: 'transient', providerCode: 'E 42\0: no <b>' }, 'ours')).toEqual({
    kind: 'transient',
    providerCode: 'E42:nob',
  });
});
