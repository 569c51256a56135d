// Tasks that change their owner, processes that stop, and zombies that finish what is no longer theirs.
import { describe, expect, test } from 'vitest';
import { partitionFor } from '../../../src/broker/partitioner.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import { type Driven, drive, mortal, outcomes, RETRIED, settled, startOn, stored, WAITS } from './driving.ts';

const taskOf = (n: number) => partitionFor(new TextEncoder().encode(anId(n)), 4);
/** The first `count` numbers whose ids belong to one of the tasks. */
const numbersOf = (tasks: readonly number[], count: number) =>
  Array.from({ length: 400 }, (_, index) => index + 1)
    .filter((n) => tasks.includes(taskOf(n)))
    .slice(0, count);

async function requestAll(driver: Driven, numbers: readonly number[]): Promise<void> {
  for (const n of numbers) await driver.request(aRequest({ notificationId: anId(n) }));
}

/** Every outcome once; repeats of one are equal, so they fold. */
async function attemptsById(driver: Driven) {
  return new Map((await outcomes(driver)).map(({ notificationId, attempts }) => [notificationId, attempts]));
}

/** After the leases: everything was read and committed, so the next owner begins behind it. */
async function expectNothingOpen(driver: Driven): Promise<void> {
  await driver.time.advance(60_000);
  const committed = driver.log.committed(driver.topics.groupId);
  for (const { topic } of [{ topic: driver.topics.requested }, ...driver.topics.tiers])
    for (let partition = 0; partition < 4; partition += 1) {
      const written = driver.log.records(topic).filter((record) => record.partition === partition).length;
      const at = committed.find((one) => one.topic === topic && one.partition === partition);
      expect([topic, partition, at?.offset ?? 0]).toEqual([topic, partition, written]);
    }
}

describe('when another process joins', () => {
  test('tasks are shared, and every request is sent once', async () => {
    const driver = await drive({ script: { fallback: WAITS } });
    await requestAll(driver, numbersOf([0, 1, 2, 3], 12));
    const second = await settled(driver, driver.startAnother('second'));
    await driver.time.advance(5_000);
    expect(second.tasks().length).toBe(2);
    expect(driver.processor.tasks().length).toBe(2);
    await requestAll(driver, numbersOf([0, 1, 2, 3], 24).slice(12));
    driver.mail.release();
    await driver.time.advance(5_000);
    expect(driver.mail.calls).toHaveLength(24);
    expect((await attemptsById(driver)).size).toBe(24);
    await expectNothingOpen(driver);
  });

  test('a retry that waits in the heap of the loser is made by the new owner', async () => {
    const driver = await drive({ script: { steps: Array.from({ length: 8 }, () => RETRIED) } });
    await requestAll(driver, numbersOf([0, 1, 2, 3], 8));
    await driver.time.advance(30_000);
    await settled(driver, driver.startAnother('second'));
    await driver.time.advance(10_000);
    expect(driver.mail.messages).toHaveLength(8);
    expect(driver.mail.calls).toHaveLength(16);
    await driver.time.advance(5_000);
    await expectNothingOpen(driver);
  });

  test('marks and offsets are written as soon as the rebalance begins', async () => {
    const driver = await drive({ settings: { commitPeriodMs: 3_600_000 } });
    await driver.request(aRequest());
    expect(await stored(driver, anId())).toMatchObject({ status: 'Sent', publishedSeq: 0 });
    await settled(driver, driver.startAnother('second'));
    expect(await stored(driver, anId())).toMatchObject({ publishedSeq: 1, wakeAtMs: null });
    expect(driver.log.committed(driver.topics.groupId)).toContainEqual({
      topic: driver.topics.requested,
      partition: taskOf(1),
      offset: 1,
    });
  });

  test('an unsent claim of a lost task is given back at once', async () => {
    const driver = await drive({ script: { fallback: { kind: 'connect-slowly' } } });
    await requestAll(driver, numbersOf([0, 1, 2, 3], 16));
    const second = await settled(driver, driver.startAnother('second'));
    await driver.time.advance(100);
    for (const n of numbersOf([0, 1, 2, 3], 16)) {
      const isLost = second.tasks().includes(taskOf(n));
      expect((await stored(driver, anId(n))).claim === null).toBe(isLost);
    }
    await driver.time.advance(2_500);
    driver.mail.release();
    await driver.time.advance(2_000);
    expect(driver.mail.messages).toHaveLength(16);
    expect([...(await attemptsById(driver)).values()]).toEqual(Array.from({ length: 16 }, () => 1));
  });

  test('a full buffer that was paused before the join is paused after it, and flows again later', async () => {
    const driver = await drive({
      script: { fallback: WAITS },
      facts: { maxConcurrency: 1 },
      settings: { maxInFlight: 2, maxBufferedRecords: 4 },
    });
    const numbers = numbersOf([0, 1, 2, 3], 40);
    await requestAll(driver, numbers);
    await settled(driver, driver.startAnother('second'));
    await driver.time.advance(200);
    for (let round = 0; round < 120 && driver.mail.messages.length < 40; round += 1) {
      driver.mail.release();
      await driver.time.advance(1_000);
    }
    await driver.time.advance(3_000);
    expect(new Set(driver.mail.messages.map(({ reference }) => reference)).size).toBe(40);
    expect(driver.mail.messages).toHaveLength(40);
    await expectNothingOpen(driver);
  });
});

describe('a process that is thrown out of its group', () => {
  test('finishes what it began, and nobody sends it again', async () => {
    const driver = await drive({ script: { fallback: WAITS } });
    const second = await settled(driver, driver.startAnother('second'));
    await requestAll(driver, numbersOf(driver.processor.tasks(), 4));
    driver.log.expel('test-driver');
    await driver.time.advance(500);
    expect(second.tasks()).toEqual([0, 1, 2, 3]);
    driver.mail.release();
    await driver.time.advance(5_000);
    expect(driver.mail.calls).toHaveLength(4);
    expect((await attemptsById(driver)).size).toBe(4);
    await expectNothingOpen(driver);
  });

  test('may answer after its claim was taken over: the late answer is recorded and changes nothing', async () => {
    const driver = await drive({ facts: { capability: 'replace' }, script: { steps: [WAITS] } });
    await settled(driver, driver.processor.stop());
    const zombie = mortal(driver.ports);
    await startOn(driver, 'zombie', zombie.ports);
    await driver.request(aRequest());
    await settled(driver, zombie.cutOff());
    await settled(driver, driver.startAnother('heir'));
    await driver.time.advance(60_000);
    expect(driver.mail.calls.map(({ call }) => call.attempt)).toEqual([1, 1]);
    const before = await stored(driver, anId());
    expect(before).toMatchObject({ status: 'Sent', providerMessageId: 'mail-1' });
    driver.mail.release();
    await driver.time.advance(3_000);
    const row = await stored(driver, anId());
    expect(row).toMatchObject({
      status: 'Sent',
      providerMessageId: 'mail-1',
      outcomeSeq: 1,
      publishedSeq: 1,
    });
    expect(row.evidence.map(({ messageId }) => messageId)).toEqual(['mail-1', 'mail-2']);
    expect(driver.dispatched()).toHaveLength(1);
  });

  test('comes back and goes on where it was', async () => {
    const driver = await drive();
    for (let round = 0; round < 4; round += 1) {
      driver.log.expel('test-driver');
      await requestAll(driver, [10 * round + 1, 10 * round + 2, 10 * round + 3]);
      await driver.time.advance(1_500);
    }
    await driver.time.advance(3_000);
    expect(driver.mail.calls).toHaveLength(12);
    await expectNothingOpen(driver);
  });
});

describe('a stop', () => {
  test('releases unsent claims, so that another process sends at once', async () => {
    const driver = await drive({ script: { steps: [{ kind: 'connect-slowly' }] } });
    await driver.request(aRequest());
    expect((await stored(driver, anId())).claim).not.toBeNull();
    await settled(driver, driver.processor.stop());
    expect(await stored(driver, anId())).toMatchObject({ claim: null, attempts: 0, status: 'Pending' });
    await settled(driver, driver.startAnother('heir'));
    await driver.time.advance(1_500);
    expect(driver.mail.messages).toHaveLength(1);
    expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 1 }]);
  });

  test('lets nothing of a key overtake what it leaves with the log', async () => {
    const driver = await drive({ script: { steps: [WAITS] }, facts: { maxConcurrency: 1 } });
    const [other = 0, mine = 0] = numbersOf([0], 2);
    await driver.request(aRequest({ notificationId: anId(other) }));
    await driver.request(aRequest({ notificationId: anId(mine) }));
    // Of the same id, and it would need no permit: nobody sends on its channel.
    await driver.request(aRequest({ notificationId: anId(mine), channel: 'telegram' }));
    const stopping = driver.processor.stop();
    driver.mail.release();
    await settled(driver, stopping);
    await settled(driver, driver.startAnother('heir'));
    await driver.time.advance(1_500);
    expect(await stored(driver, anId(mine))).toMatchObject({ status: 'Sent', channel: 'email' });
    expect(driver.deadLetters()).toHaveLength(1);
  });

  test('waits for a call that is out, settles it, publishes and commits', async () => {
    const driver = await drive({ script: { steps: [WAITS] } });
    await driver.request(aRequest());
    const stopping = driver.processor.stop();
    await driver.time.advance(5_000);
    expect(driver.processor.state()).toBe('stopping');
    driver.mail.release();
    await driver.time.settle();
    await stopping;
    expect(driver.processor.state()).toBe('stopped');
    expect(driver.dispatched()).toHaveLength(1);
    expect(await stored(driver, anId())).toMatchObject({ publishedSeq: 1, wakeAtMs: null });
    await expectNothingOpen(driver);
  });

  test('takes no longer than its limit, and the claim says what is open', async () => {
    const driver = await drive({ script: { steps: [WAITS] } });
    await driver.request(aRequest());
    const stopping = driver.processor.stop();
    await driver.time.advance(29_999);
    expect(driver.processor.state()).toBe('stopping');
    await driver.time.advance(1);
    await stopping;
    expect(await stored(driver, anId())).toMatchObject({ claim: { attempt: 1 }, attempts: 1 });
    expect(driver.log.committed(driver.topics.groupId).find(({ offset }) => offset > 0)).toBeUndefined();
  });

  test('claims nothing new, also for those who wait for a permit', async () => {
    const driver = await drive({ facts: { maxConcurrency: 1 }, script: { steps: [WAITS] } });
    await requestAll(driver, [1, 2, 3]);
    const stopping = driver.processor.stop();
    driver.mail.release();
    await settled(driver, stopping);
    expect(driver.mail.calls).toHaveLength(1);
    await settled(driver, driver.startAnother('heir'));
    await driver.time.advance(2_000);
    expect(driver.mail.messages).toHaveLength(3);
    expect(driver.mail.calls).toHaveLength(3);
  });

  test('asked for twice is one stop', async () => {
    const driver = await drive();
    const both = [driver.processor.stop(), driver.processor.stop()];
    await settled(driver, Promise.all(both));
    expect(both[0]).toBe(both[1]);
  });

  test('ends although the store does not answer', async () => {
    const driver = await drive({
      around: (ports) => ({
        ...ports,
        store: { ...ports.store, drainMarks: () => new Promise(() => undefined) },
      }),
    });
    const stopping = driver.processor.stop();
    await driver.time.advance(30_000);
    await stopping;
    expect(driver.processor.state()).toBe('stopped');
  });

  test('leaves the group although its last commits fail', async () => {
    const driver = await drive({
      around: (ports) => ({
        ...ports,
        store: { ...ports.store, drainMarks: () => Promise.reject(new RangeError('broken')) },
      }),
    });
    await driver.request(aRequest());
    await settled(driver, driver.processor.stop());
    expect(driver.events).toContain('stop.unfinished');
    const heir = await settled(driver, driver.startAnother('heir'));
    await driver.time.settle();
    expect(heir.tasks()).toEqual([0, 1, 2, 3]);
  });
});

test('a claim that is still connecting when notAfter passes sends nothing and ends as expired', async () => {
  const driver = await drive({ script: { fallback: { kind: 'connect-slowly' } } });
  const notAfterMs = driver.time.clock.nowMs() + 5_000;
  await driver.request(aRequest({ notAfterMs }));
  await driver.time.advance(6_000);
  driver.mail.release();
  await driver.time.advance(5_000);
  expect(driver.mail.messages).toHaveLength(0);
  expect(await outcomes(driver)).toMatchObject([{ status: 'Failed', reason: 'expired', attempts: 0 }]);
});
