import { expect, test } from 'vitest';
import {
  MAX_BATCH_BYTES,
  MAX_BATCH_RECORDS,
  MAX_WAITING_BYTES,
  MAX_WAITING_RECORDS,
  SOLO_RECORD_BYTES,
  sendQueue,
  type Waiting,
} from '../../../../src/broker/kafkajs/send-queue.ts';

const waiting = (name: string, bytes = 100): Waiting => ({
  topic: name,
  message: { partition: 0, value: null },
  bytes,
  acknowledge: () => undefined,
  refuse: () => undefined,
});
const names = (batch: readonly Waiting[]) => batch.map(({ topic }) => topic);

test('a batch takes what waits, in order', () => {
  const queue = sendQueue();
  for (const name of ['a', 'b', 'c']) queue.push(waiting(name));
  expect(names(queue.take())).toEqual(['a', 'b', 'c']);
  expect(queue.take()).toEqual([]);
});

test('a batch ends at its limits of records and bytes', () => {
  const queue = sendQueue();
  for (let n = 0; n < MAX_BATCH_RECORDS + 1; n += 1) queue.push(waiting(`${n}`, 10));
  expect(queue.take()).toHaveLength(MAX_BATCH_RECORDS);
  expect(queue.take()).toHaveLength(1);
  for (const name of ['a', 'b', 'c']) queue.push(waiting(name, MAX_BATCH_BYTES / 2));
  expect([names(queue.take()), names(queue.take())]).toEqual([['a', 'b'], ['c']]);
});

test('a large record goes alone and keeps its place', () => {
  const queue = sendQueue();
  queue.push(waiting('a'));
  queue.push(waiting('large', SOLO_RECORD_BYTES + 1));
  queue.push(waiting('b'));
  expect([names(queue.take()), names(queue.take()), names(queue.take())]).toEqual([['a'], ['large'], ['b']]);
});

test('what is pushed while a batch is out comes after what was left', () => {
  const queue = sendQueue();
  queue.push(waiting('large', SOLO_RECORD_BYTES + 1));
  queue.push(waiting('a'));
  queue.take();
  queue.push(waiting('b'));
  expect(names(queue.take())).toEqual(['a', 'b']);
});

test('too many records and too many bytes are refused until room is given back', () => {
  const queue = sendQueue();
  for (let n = 0; n < MAX_WAITING_RECORDS; n += 1) queue.reserve(1);
  expect(() => queue.reserve(1)).toThrow(
    expect.objectContaining({ code: 'LOG_BACKLOG_FULL', retriable: true }),
  );
  queue.release(1);
  queue.reserve(1);
  const bytes = sendQueue();
  expect(() => bytes.reserve(MAX_WAITING_BYTES + 1)).toThrow(
    expect.objectContaining({ code: 'LOG_BACKLOG_FULL' }),
  );
});

test('draining gives everything that still waits', () => {
  const queue = sendQueue();
  for (const name of ['a', 'b']) queue.push(waiting(name));
  expect(names(queue.drain())).toEqual(['a', 'b']);
  expect(queue.take()).toEqual([]);
});
