// A record whose handling kills its process, and processes that are killed for no fault of a record.
import { describe, expect, test } from 'vitest';
import { partitionFor } from '../../../src/broker/partitioner.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import { notificationCommandRecord } from '../../../src/streams/notification-command.ts';
import type { ProcessorPorts } from '../../../src/topology/processor.ts';
import { aCommand, anId, aRequest } from '../../support/a-notification.ts';
import {
  type Driven,
  type DriveOptions,
  drive,
  everythingIsDone,
  mortal,
  settled,
  startOn,
} from './driving.ts';

const REFUSED = { kind: 'refused', code: 'NTF_PROVIDER_BLOCKED', providerCode: null } as const;
const POISON = 'poison@example.com';
const taskOf = (n: number) => partitionFor(new TextEncoder().encode(anId(n)), 4);

/** Ports of a process that dies as soon as it reads a request to POISON. */
function perishable(ports: ProcessorPorts) {
  const life = mortal(ports);
  let deaths = 0;
  const hashRecipient = (recipient: string) => {
    if (recipient === POISON) {
      deaths += 1;
      void life.kill();
    }
    return ports.hashRecipient(recipient);
  };
  return { ports: { ...life.ports, hashRecipient }, kill: life.kill, hasDied: () => deaths > 0 };
}

type Life = ReturnType<typeof perishable>;

/** A driver whose first process may die; `plain`: what the next ones are made of. */
async function driveMortal(
  options: DriveOptions = {},
): Promise<{ driver: Driven; first: Life; plain: ProcessorPorts }> {
  const made: { life: Life; plain: ProcessorPorts }[] = [];
  const driver = await drive({
    ...options,
    around(plain) {
      const life = perishable(plain);
      made.push({ life, plain });
      return life.ports;
    },
  });
  const [one] = made;
  invariant(one !== undefined, 'the driver starts a process');
  return { driver, first: one.life, plain: one.plain };
}

async function nextLife(driver: Driven, plain: ProcessorPorts, n: number): Promise<Life> {
  const life = perishable(plain);
  await startOn(driver, `life-${n}`, life.ports);
  await driver.time.advance(3_000);
  return life;
}

const called = (driver: Driven) => driver.mail.calls.map(({ call }) => call.reference).sort();
const ids = (numbers: readonly number[]) => numbers.map((n) => anId(n)).sort();

describe('a record that kills its process', () => {
  test('is quarantined after the third death, and everybody else is sent once', async () => {
    const { driver, first, plain } = await driveMortal();
    const all = Array.from({ length: 12 }, (_, index) => index + 1);
    const requests = all.map((n) =>
      aRequest({ notificationId: anId(n), ...(n === 6 ? { recipient: POISON } : {}) }),
    );
    await Promise.all(requests.map((request) => driver.request(request)));
    const hasDied = [first.hasDied()];
    for (let n = 2; n <= 4; n += 1) hasDied.push((await nextLife(driver, plain, n)).hasDied());
    expect(hasDied).toEqual([true, true, true, false]);
    expect(driver.counted('pin_quarantined_total', { reason: 'deadly-record' })).toBe(1);
    expect(called(driver)).toEqual(ids(all.filter((n) => n !== 6)));
    await driver.request(aRequest({ notificationId: anId(20) }));
    expect(called(driver)).toContain(anId(20));
    expect(driver.deadLetters()).toEqual([]);
    await driver.time.advance(120_000);
    expect(everythingIsDone(driver)).toBe(true);
    expect(driver.mail.messages).toHaveLength(all.length);
  });

  test('stays aside when it is read again, until an operator forgives it', async () => {
    const { driver, plain } = await driveMortal();
    await driver.request(aRequest({ recipient: POISON }));
    for (let n = 2; n <= 4; n += 1) await nextLife(driver, plain, n);
    const mended = aRequest({ recipient: 'ada@example.com' });
    await driver.request(mended);
    expect(driver.counted('pin_quarantined_total', { reason: 'deadly-record' })).toBe(2);
    expect(called(driver)).toEqual([]);
    const now = await driver.store.lifeOf(taskOf(1));
    invariant(now !== null, 'somebody has the task');
    await driver.store.saveLife(taskOf(1), { ...now, version: now.version + 1, deadly: [] });
    await driver.request(mended);
    expect(called(driver)).toEqual([anId()]);
  });
});

describe('a task that comes', () => {
  test('starts nothing before it is written down whose it is', async () => {
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const driver = await drive({
      around: (ports) => ({
        ...ports,
        store: {
          ...ports.store,
          async saveLife(partition, next) {
            await asked;
            return ports.store.saveLife(partition, next);
          },
        },
      }),
    });
    await driver.request(aRequest());
    await driver.time.advance(10_000);
    expect(called(driver)).toEqual([]);
    answer();
    await driver.time.settle();
    expect(called(driver)).toEqual([anId()]);
    expect(await driver.store.lifeOf(taskOf(1))).toMatchObject({ deaths: 0, isLiving: true });
  });
});

describe('processes that are killed for no fault of a record', () => {
  test('cost no record its place and no time, however often they are', async () => {
    const { driver, first, plain } = await driveMortal();
    let life = first;
    const sent: number[] = [];
    const send = async (n: number) => {
      sent.push(n);
      await driver.request(aRequest({ notificationId: anId(n) }));
    };
    for (let n = 1; n <= 8; n += 1) {
      await send(n);
      await settled(driver, life.kill());
      await send(100 + n);
      life = await nextLife(driver, plain, n + 1);
      expect(called(driver)).toEqual(ids(sent));
    }
    expect(driver.counted('pin_quarantined_total')).toBe(0);
    await driver.time.advance(121_000);
    expect(await driver.store.lifeOf(taskOf(1))).toMatchObject({ deaths: 0, suspects: [], deadly: [] });
  });

  test('count no failure twice, though its outcome is published again', async () => {
    const { driver, first, plain } = await driveMortal({ script: { fallback: REFUSED } });
    await driver.request(aRequest());
    await settled(driver, first.kill());
    expect(driver.dispatched()).toHaveLength(1);
    await nextLife(driver, plain, 2);
    await driver.time.advance(180_000);
    expect(driver.dispatched().length).toBeGreaterThan(1);
    expect(driver.counted('pin_notifications_dispatched_total')).toBe(driver.dispatched().length);
    const producer = await driver.log.producer();
    const close = aCommand({ kind: 'close', reason: 'seen' });
    await settled(driver, producer.send(notificationCommandRecord(driver.topics, driver.codec, close, null)));
    expect(await driver.row(anId())).toMatchObject({ closedAtMs: expect.any(Number) as number });
    expect(driver.counted('pin_terminal_failures_total')).toBe(1);
  });

  test('are not counted when they hand their tasks over in good order', async () => {
    const driver = await drive();
    const second = await settled(driver, driver.startAnother('second'));
    await driver.time.advance(5_000);
    await settled(driver, second.stop());
    await driver.time.advance(5_000);
    for (let partition = 0; partition < 4; partition += 1)
      expect(await driver.store.lifeOf(partition)).toMatchObject({ deaths: 0, isLiving: true });
    await settled(driver, driver.processor.stop());
    for (let partition = 0; partition < 4; partition += 1)
      expect(await driver.store.lifeOf(partition)).toMatchObject({ deaths: 0, isLiving: false });
  });
});
