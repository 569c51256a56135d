// What a processor takes from its log: in order, within its bounds, each record once, and nothing stands still for ever.
import { expect, test } from 'vitest';
import type { ConsumerHandlers, LogRecord, TopicPartition } from '../../../src/broker/log.ts';
import { keyOf } from '../../../src/broker/partition-key.ts';
import { partitionFor } from '../../../src/broker/partitioner.ts';
import { Fault } from '../../../src/runtime/fault.ts';
import { encodeRequest } from '../../../src/streams/requested.ts';
import { retryDueRecord } from '../../../src/streams/retry-due.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import {
  type Driven,
  type DriveOptions,
  DUE,
  drive,
  everythingIsDone,
  leave,
  produceRaw,
  RETRIED,
  settled,
  startOn,
  WAITS,
} from './driving.ts';

/** A driver whose first consumer is watched: what it was told, and what is paused now. */
async function driveWatched(options: DriveOptions = {}) {
  const paused = new Set<string>();
  const told: ConsumerHandlers[] = [];
  const driver = await drive({
    ...options,
    around: (ports) => ({
      ...ports,
      log: {
        ...ports.log,
        consumer: async (sources, handlers) => {
          told.push(handlers);
          const member = await ports.log.consumer(sources, handlers);
          return {
            ...member,
            pause(at) {
              for (const one of at) paused.add(keyOf(one));
              member.pause(at);
            },
            resume(at) {
              for (const one of at) paused.delete(keyOf(one));
              member.resume(at);
            },
          };
        },
      },
    }),
  });
  const [handlers] = told;
  if (handlers === undefined) throw new RangeError('no consumer was opened');
  return { driver, handlers, paused };
}

const taskOf = (n: number) => partitionFor(new TextEncoder().encode(anId(n)), 4);

/** A record as the log would hand it over, of a request that the log itself does not hold. */
function handedOver(driver: Driven, n: number, offset: number): [TopicPartition, LogRecord] {
  const request = aRequest({ notificationId: anId(n) });
  const { topic, key, value, headers } = encodeRequest(driver.topics, driver.codec, request, null);
  const at = { topic, partition: taskOf(n) };
  return [at, { ...at, key, value, headers, offset, timestampMs: driver.time.clock.nowMs() }];
}

test('a log that begins again below what was read is read from there', async () => {
  const { driver, handlers } = await driveWatched();
  const [at, old] = handedOver(driver, 1, 100);
  handlers.onRecords(at, [old]);
  await driver.time.settle();
  const other = Array.from({ length: 99 }, (_, index) => index + 2).find((n) => taskOf(n) === taskOf(1)) ?? 0;
  const [, fresh] = handedOver(driver, other, 0);
  handlers.onOffsetReset(at, 101, 0);
  expect(handlers.onRecords(at, [fresh])).toBe(1);
  await driver.time.advance(2_000);
  expect(driver.mail.messages.map(({ reference }) => reference)).toEqual([anId(1), anId(other)]);
});

test('records that were seen are not handled again after a join', async () => {
  const { driver, handlers } = await driveWatched();
  await driver.request(aRequest());
  const records = driver.log.records(driver.topics.requested);
  const at = { topic: driver.topics.requested, partition: taskOf(1) };
  handlers.onRevoking();
  handlers.onAssigned([0, 1, 2, 3], 9);
  expect(handlers.onRecords(at, records)).toBe(1);
  await driver.time.advance(2_000);
  expect(driver.mail.calls).toHaveLength(1);
  expect(driver.counted('pin_state_conflicts_total')).toBe(0);
});

test('records of a task that is lost are not taken, and taken when it is back', async () => {
  const { driver, handlers } = await driveWatched();
  const [at, record] = handedOver(driver, 1, 100);
  handlers.onAssigned(
    [0, 1, 2, 3].filter((task) => task !== at.partition),
    9,
  );
  expect(handlers.onRecords(at, [record])).toBe(0);
  handlers.onAssigned([0, 1, 2, 3], 10);
  expect(handlers.onRecords(at, [record])).toBe(1);
  await driver.time.settle();
  expect(driver.mail.messages).toHaveLength(1);
});

test('a full partition is paused until half of it is gone, and other tasks go on', async () => {
  const { driver, paused } = await driveWatched({
    settings: { maxInFlight: 1, maxBufferedRecords: 4 },
    facts: { maxConcurrency: 1 },
    script: { fallback: WAITS },
  });
  const numbers = Array.from({ length: 99 }, (_, index) => index + 1).filter((n) => taskOf(n) === taskOf(1));
  for (const n of numbers.slice(0, 9)) await driver.request(aRequest({ notificationId: anId(n) }));
  const key = keyOf({ topic: driver.topics.requested, partition: taskOf(1) });
  expect([...paused]).toEqual([key]);
  for (let round = 0; round < 60 && driver.mail.messages.length < 9; round += 1) {
    driver.mail.release();
    await driver.time.advance(1_000);
  }
  await driver.time.advance(2_000);
  expect([...paused]).toEqual([]);
  expect(driver.mail.messages).toHaveLength(9);
  expect(everythingIsDone(driver)).toBe(true);
});

test('pauses are applied again at every join', async () => {
  const { driver, handlers, paused } = await driveWatched({
    settings: { maxInFlight: 1, maxBufferedRecords: 2 },
    facts: { maxConcurrency: 1 },
    script: { fallback: WAITS },
  });
  const numbers = Array.from({ length: 99 }, (_, index) => index + 1).filter((n) => taskOf(n) === taskOf(1));
  for (const n of numbers.slice(0, 6)) await driver.request(aRequest({ notificationId: anId(n) }));
  const before = [...paused];
  expect(before).toHaveLength(1);
  paused.clear();
  handlers.onAssigned([0, 1, 2, 3], 9);
  expect([...paused]).toEqual(before);
});

test('never more records are worked on than the bound and the calls of the providers', async () => {
  const { driver } = await driveWatched({
    settings: { maxInFlight: 3, breaker: { windowMs: 30_000, minCalls: 1_000, failureShare: 1 } },
    facts: { maxConcurrency: 2 },
    script: { steps: Array.from({ length: 40 }, () => RETRIED), fallback: WAITS },
  });
  for (let n = 1; n <= 40; n += 1) await driver.request(aRequest({ notificationId: anId(n) }));
  let most = 0;
  for (let step = 0; step < 100; step += 1) {
    await driver.time.advance(500);
    most = Math.max(most, driver.processor.inFlight());
  }
  expect(most).toBeLessThanOrEqual(5);
  expect(most).toBeGreaterThan(2);
});

test('what a lost task held in the heap is room for the others', async () => {
  const limited = {
    kind: 'rate-limited',
    retryAfterMs: 90_000,
    scope: 'message',
    providerCode: null,
  } as const;
  const { driver } = await driveWatched({
    settings: { maxHeapEntries: 1, maxBufferedRecords: 1 },
    script: { steps: [limited, RETRIED] },
  });
  const numbers = Array.from({ length: 99 }, (_, index) => index + 1);
  const numberOf = (...tasks: number[]) => numbers.find((n) => tasks.includes(taskOf(n))) ?? 0;
  await driver.request(aRequest({ notificationId: anId(numberOf(2, 3)) }));
  await driver.time.advance(31_000);
  await driver.request(aRequest({ notificationId: anId(numberOf(0, 1)) }));
  await driver.time.advance(30_200);
  await settled(driver, driver.startAnother('second'));
  expect(driver.processor.tasks()).toEqual([0, 1]);
  await driver.time.advance(1_600);
  expect(driver.mail.messages.map(({ reference }) => reference)).toEqual([anId(numberOf(0, 1))]);
  await driver.time.advance(60_000);
  expect(driver.mail.messages).toHaveLength(2);
});

test('a lost task does not begin what it had queued', async () => {
  let inserts = 0;
  const driver = await drive({
    script: { fallback: WAITS },
    around: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        insert: (insertion) => {
          inserts += 1;
          return ports.store.insert(insertion);
        },
      },
    }),
  });
  const n = Array.from({ length: 99 }, (_, index) => index + 1).find((one) => taskOf(one) > 1) ?? 0;
  await driver.request(aRequest({ notificationId: anId(n) }));
  await driver.request(aRequest({ notificationId: anId(n) }));
  await startOn(driver, 'second', { ...driver.ports, store: driver.store });
  expect(driver.processor.tasks()).not.toContain(taskOf(n));
  driver.mail.release();
  await driver.time.advance(3_000);
  expect(inserts).toBe(1);
  expect(driver.mail.messages).toHaveLength(1);
});

test('a wake-up with a time stamp of the future does not hold its tier', async () => {
  const { driver, handlers } = await driveWatched();
  const tier = driver.topics.tiers.find(({ name }) => name === '30s');
  if (tier === undefined) throw new RangeError('no tier of 30 s');
  await leave(driver, 1, DUE);
  const nowMs = driver.time.clock.nowMs();
  const { topic, key, value, headers } = retryDueRecord(driver.codec, tier, {
    notificationId: anId(1),
    dueAtMs: nowMs,
    wakeSeq: 1,
  });
  const wakeUp = { topic, partition: taskOf(1), key, value, headers };
  const future = { ...wakeUp, value: null, offset: 0, timestampMs: nowMs + 365 * 86_400_000 };
  handlers.onRecords(wakeUp, [future, { ...wakeUp, offset: 1, timestampMs: nowMs }]);
  await driver.time.advance(29_999);
  expect(driver.mail.messages).toHaveLength(0);
  await driver.time.advance(1);
  expect(driver.mail.messages).toHaveLength(1);
});

test('a wake-up that claims to be the row’s own but comes days early goes back through a tier', async () => {
  const { driver } = await driveWatched();
  const notBeforeMs = driver.time.clock.nowMs() + 10 * 86_400_000;
  await driver.request(aRequest({ notBeforeMs }));
  const [tier] = driver.topics.tiers;
  if (tier === undefined) throw new RangeError('no tier');
  const early = { notificationId: anId(), dueAtMs: driver.time.clock.nowMs(), wakeSeq: 1 };
  const { topic, value } = retryDueRecord(driver.codec, tier, early);
  await produceRaw(driver, { topic, key: anId(), value });
  await driver.time.advance(4_000);
  expect(driver.mail.calls).toHaveLength(0);
  expect(driver.log.records(driver.topics.tiers.at(-1)?.topic ?? '')).toHaveLength(1);
  expect(driver.log.committed(driver.topics.groupId)).toContainEqual({
    topic,
    partition: taskOf(1),
    offset: 1,
  });
});

test('a record that met a passing trouble is tried again before the next of its key', async () => {
  let troubles = 0;
  const driver = await drive({
    around: (ports) => ({
      ...ports,
      ids: {
        ...ports.ids,
        uuid() {
          if (troubles === 0) return ports.ids.uuid();
          troubles -= 1;
          throw new Fault('TEST_PASSING', 'it passes', { retriable: true });
        },
      },
    }),
  });
  troubles = 1;
  await driver.request(aRequest());
  // Of the same id: the first one wins, however long it takes.
  await driver.request(aRequest({ channel: 'telegram' }));
  expect(await driver.row(anId())).toBeNull();
  await driver.time.advance(1_000);
  expect(await driver.row(anId())).toMatchObject({ status: 'Sent', channel: 'email' });
  expect(driver.deadLetters()).toHaveLength(1);
});
