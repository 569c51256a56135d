import { expect, test } from 'vitest';
import type { LogRecord } from '../../../src/broker/log.ts';
import { sourceBuffer } from '../../../src/topology/source-buffer.ts';

const NOW_MS = 1_000_000;

function aRecord(offset: number, timestampMs = NOW_MS): LogRecord {
  return { topic: 'retry.30s', partition: 0, offset, timestampMs, key: null, value: null, headers: {} };
}
const records = (...offsets: number[]) => offsets.map((offset) => aRecord(offset));

function aBuffer(delayMs = 0, maxRecords = 3) {
  const buffer = sourceBuffer({ topic: 'retry.30s', partition: 0 }, delayMs, maxRecords);
  const takeAll = () => {
    const offsets: number[] = [];
    for (let next = buffer.take(); next !== null; next = buffer.take()) offsets.push(next.offset);
    return offsets;
  };
  return { buffer, takeAll };
}

test('records leave in the order in which they came', () => {
  const { buffer, takeAll } = aBuffer();
  expect(buffer.offer(records(4, 5, 9), NOW_MS)).toBe(3);
  expect(takeAll()).toEqual([4, 5, 9]);
  expect(buffer.take()).toBeNull();
});

test('it takes no more than its limit, and the rest when there is room again', () => {
  const { buffer, takeAll } = aBuffer();
  expect(buffer.offer(records(0, 1, 2, 3, 4), NOW_MS)).toBe(3);
  expect(buffer.isFull()).toBe(true);
  buffer.take();
  expect(buffer.offer(records(3, 4), NOW_MS)).toBe(1);
  expect(takeAll()).toEqual([1, 2, 3]);
});

test('offsets that were seen count as taken in and do not come twice', () => {
  const { buffer, takeAll } = aBuffer();
  buffer.offer(records(0, 1), NOW_MS);
  expect(buffer.offer(records(0, 1, 2), NOW_MS)).toBe(3);
  expect(takeAll()).toEqual([0, 1, 2]);
  expect(buffer.offer(records(0, 1, 2), NOW_MS)).toBe(3);
  expect(takeAll()).toEqual([]);
});

test('a full buffer still takes in what it has seen', () => {
  const { buffer } = aBuffer(0, 2);
  buffer.offer(records(0, 1), NOW_MS);
  expect(buffer.offer(records(0, 1, 2), NOW_MS)).toBe(2);
});

test('what is buffered is open for the watermark', () => {
  const { buffer } = aBuffer();
  buffer.offer(records(0, 1), NOW_MS);
  buffer.watermark().done(1);
  expect(buffer.watermark().committable()).toBeNull();
  buffer.watermark().done(0);
  expect(buffer.watermark().committable()).toBe(2);
});

test('a record of a tier is ready its delay after it was written', () => {
  const { buffer } = aBuffer(30_000);
  expect(buffer.headReadyAtMs()).toBeNull();
  buffer.offer([aRecord(0, NOW_MS - 20_000)], NOW_MS);
  expect(buffer.headReadyAtMs()).toBe(NOW_MS + 10_000);
});

test('a time stamp of the future does not hold the partition for longer than the tier’s delay', () => {
  const { buffer } = aBuffer(30_000);
  buffer.offer([aRecord(0, NOW_MS + 86_400_000)], NOW_MS);
  expect(buffer.headReadyAtMs()).toBe(NOW_MS + 30_000);
});

test('a record of no tier is ready at once, whatever its time stamp says', () => {
  const { buffer } = aBuffer(0);
  buffer.offer([aRecord(0, NOW_MS + 86_400_000)], NOW_MS);
  expect(buffer.headReadyAtMs()).toBe(0);
});

test('a log that begins again below what was seen is read again, and old work commits nothing of it', () => {
  const { buffer, takeAll } = aBuffer();
  buffer.offer(records(100, 101), NOW_MS);
  buffer.take();
  const old = buffer.watermark();
  buffer.rewind(0);
  expect(buffer.buffered()).toBe(0);
  expect(buffer.offer(records(0, 1), NOW_MS)).toBe(2);
  old.done(100);
  expect(buffer.watermark().committable()).toBeNull();
  expect(takeAll()).toEqual([0, 1]);
});

test('a log that goes on above what was seen takes nothing away', () => {
  const { buffer, takeAll } = aBuffer();
  buffer.offer(records(0, 1), NOW_MS);
  buffer.rewind(50);
  expect(takeAll()).toEqual([0, 1]);
  buffer.offer(records(50), NOW_MS);
  expect(takeAll()).toEqual([50]);
});

test('thousands of records pass without a copy of all of them for each', () => {
  const { buffer, takeAll } = aBuffer(0, 10_000);
  const many = Array.from({ length: 5_000 }, (_, offset) => offset);
  buffer.offer(records(...many), NOW_MS);
  expect(takeAll()).toEqual(many);
});
