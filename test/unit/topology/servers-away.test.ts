// Servers that do not answer for a while: work waits, the processor says for whom, and nothing is lost or condemned.
import { describe, expect, test } from 'vitest';
import { Fault } from '../../../src/runtime/fault.ts';
import { startTestDriver } from '../../../src/topology/test-driver.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import { drive, everythingIsDone, RETRIED } from './driving.ts';

const AWAY = new Fault('STATE_UNAVAILABLE', 'away', { retriable: true });

describe('a server that is away', () => {
  test('the registry: requests wait and none is condemned', async () => {
    let isAway = true;
    const driver = await drive({
      around: (ports) => ({
        ...ports,
        codec: {
          ...ports.codec,
          decode: (name, value) =>
            isAway
              ? Promise.reject(new Fault('REGISTRY_UNAVAILABLE', 'away', { retriable: true }))
              : ports.codec.decode(name, value),
        },
      }),
    });
    await driver.request(aRequest());
    await driver.time.advance(20_000);
    expect([...driver.processor.outages().keys()]).toEqual(['registry']);
    isAway = false;
    await driver.time.advance(3_000);
    expect(driver.mail.messages).toHaveLength(1);
    expect(driver.processor.outages().size).toBe(0);
  });

  test('the store: wake-ups wait, and the processor says who is away', async () => {
    let isAway = false;
    const driver = await drive({
      script: { steps: [RETRIED] },
      around: (ports) => ({
        ...ports,
        store: { ...ports.store, load: (ids) => (isAway ? Promise.reject(AWAY) : ports.store.load(ids)) },
      }),
    });
    await driver.request(aRequest());
    isAway = true;
    await driver.time.advance(60_000);
    expect([...driver.processor.outages().keys()]).toEqual(['postgres']);
    expect(driver.mail.calls).toHaveLength(1);
    isAway = false;
    await driver.time.advance(3_000);
    expect(driver.mail.messages).toHaveLength(1);
  });

  test('the log: outcomes and wake-ups wait for it, and the offset with them', async () => {
    const driver = await drive({ script: { byReference: { [anId(2)]: [RETRIED] } } });
    driver.log.beforeSend(({ topic }) => (topic === driver.topics.requested ? 'ok' : 'fail'));
    await driver.request(aRequest());
    await driver.request(aRequest({ notificationId: anId(2) }));
    await driver.time.advance(20_000);
    expect(driver.dispatched()).toHaveLength(0);
    expect([...driver.processor.outages().keys()]).toEqual(['kafka']);
    expect(driver.log.committed(driver.topics.groupId).filter(({ offset }) => offset > 0)).toEqual([]);
    driver.log.beforeSend(() => 'ok');
    await driver.time.advance(45_000);
    expect(driver.dispatched()).toHaveLength(2);
    expect(everythingIsDone(driver)).toBe(true);
  });

  test('nobody is away who is only overloaded: the record comes again a moment later', async () => {
    let refusals = 2;
    const driver = await drive({
      around: (ports) => ({
        ...ports,
        store: {
          ...ports.store,
          insert: (insertion) => {
            refusals -= 1;
            const full = new Fault('STATE_OVERLOADED', 'too many writes wait', { retriable: true });
            return refusals >= 0 ? Promise.reject(full) : ports.store.insert(insertion);
          },
        },
      }),
    });
    await driver.request(aRequest());
    expect(driver.mail.messages).toHaveLength(0);
    await driver.time.advance(4_000);
    expect(driver.mail.messages).toHaveLength(1);
    expect(driver.events.filter((event) => event === 'record.retried')).toHaveLength(2);
    expect(everythingIsDone(driver)).toBe(true);
  });
});

test('a start that fails leaves nothing open', async () => {
  const closed: string[] = [];
  const failing = startTestDriver({
    around: (ports) => ({
      ...ports,
      store: { ...ports.store, controls: () => Promise.reject(AWAY) },
      log: {
        ...ports.log,
        producer: () =>
          Promise.resolve({
            send: () => Promise.reject(AWAY),
            close: () => {
              closed.push('producer');
              return Promise.resolve();
            },
          }),
      },
    }),
  });
  await expect(failing).rejects.toBe(AWAY);
  expect(closed).toEqual(['producer']);
});
