// The same request again, another one under its id, and processes that die on the way.
import { expect, test } from 'vitest';
import { anId, aRequest } from '../../support/a-notification.ts';
import {
  drive,
  LOST,
  mortal,
  outcomes,
  RETRIED,
  reasonOf,
  settled,
  startOn,
  stored,
  WAITS,
  wakeUps,
} from './driving.ts';

test('the same request again does nothing once its outcome is out', async () => {
  const driver = await drive();
  await driver.request(aRequest());
  await driver.time.advance(2_000);
  const before = await driver.row(anId());
  await driver.request(aRequest());
  await driver.time.advance(120_000);
  expect(driver.mail.calls).toHaveLength(1);
  expect(driver.dispatched()).toHaveLength(1);
  expect(await driver.row(anId())).toEqual(before);
});

test('a request that is counted once is inserted once', async () => {
  const driver = await drive();
  await driver.request(aRequest());
  await driver.request(aRequest());
  await driver.request(aRequest({ notificationId: anId(2), channel: 'sms' }));
  await driver.time.advance(2_000);
  expect(driver.counted('pin_notifications_requested_total')).toBe(2);
});

test('another payload under the same id goes to the dead letters, and the first one wins', async () => {
  const driver = await drive();
  await driver.request(aRequest());
  await driver.request(aRequest({ recipient: 'eve@example.com' }));
  await driver.request(aRequest({ tenantId: 'another' }));
  await driver.time.advance(2_000);
  expect(driver.mail.messages.map(({ recipient }) => recipient)).toEqual(['ada@example.com']);
  expect(driver.deadLetters().map(reasonOf)).toEqual(['payload-conflict', 'payload-conflict']);
});

test('a redelivered request says its wake-up again, because the first saying may be lost', async () => {
  const driver = await drive({ script: { steps: [RETRIED] } });
  await driver.request(aRequest());
  await driver.time.advance(1_000);
  const first = wakeUps(driver);
  expect(first).toHaveLength(1);
  for (const { topic } of driver.topics.tiers)
    for (let partition = 0; partition < 4; partition += 1) driver.log.trim({ topic, partition }, 99);
  await driver.request(aRequest());
  await driver.time.advance(40_000);
  expect(driver.mail.messages).toHaveLength(1);
  expect(driver.mail.calls).toHaveLength(2);
});

test('a process that dies before its claim leaves the request to the next owner', async () => {
  const driver = await drive();
  await settled(driver, driver.processor.stop());
  const victim = mortal(driver.ports);
  const dying = await startOn(driver, 'victim', {
    ...victim.ports,
    store: { ...victim.ports.store, insert: () => new Promise(() => undefined) },
  });
  await driver.request(aRequest());
  expect(dying.inFlight()).toBe(1);
  await settled(driver, victim.kill());
  await settled(driver, driver.startAnother('heir'));
  await driver.time.advance(2_000);
  expect(driver.mail.messages).toHaveLength(1);
  expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 1 }]);
});

test('a process that dies during the call is taken over when its lease ends, with the same attempt and key', async () => {
  const driver = await drive({ script: { steps: [WAITS] } });
  await settled(driver, driver.processor.stop());
  const victim = mortal(driver.ports);
  await startOn(driver, 'victim', victim.ports);
  await driver.request(aRequest());
  expect(driver.mail.openCalls()).toBe(1);
  await settled(driver, victim.kill());
  await settled(driver, driver.startAnother('heir'));
  await driver.time.advance(44_900);
  expect(driver.mail.calls).toHaveLength(1);
  await driver.time.advance(4_000);
  expect(driver.mail.calls.map(({ call }) => [call.attempt, call.idempotencyKey])).toEqual([
    [1, `${anId()}:0`],
    [1, `${anId()}:0`],
  ]);
  expect(driver.mail.messages).toHaveLength(1);
  await driver.time.advance(2_000);
  expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 1 }]);
});

test('a process that dies after the answer and before it was recorded sends no second message', async () => {
  const driver = await drive();
  await settled(driver, driver.processor.stop());
  const victim = mortal(driver.ports);
  await startOn(driver, 'victim', {
    ...victim.ports,
    store: { ...victim.ports.store, write: () => new Promise(() => undefined) },
  });
  await driver.request(aRequest());
  expect(driver.mail.messages).toHaveLength(1);
  await settled(driver, victim.kill());
  await settled(driver, driver.startAnother('heir'));
  await driver.time.advance(120_000);
  expect(driver.mail.calls).toHaveLength(2);
  expect(driver.mail.messages).toHaveLength(1);
  expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 1 }]);
});

test('a process that dies before it published leaves the outcome to the next owner, byte for byte', async () => {
  const driver = await drive();
  await settled(driver, driver.processor.stop());
  const victim = mortal(driver.ports);
  const deaf = { send: () => new Promise<never>(() => undefined), close: () => Promise.resolve() };
  await startOn(driver, 'victim', {
    ...victim.ports,
    log: { ...victim.ports.log, producer: () => Promise.resolve(deaf) },
  });
  await driver.request(aRequest());
  expect(await stored(driver, anId())).toMatchObject({ status: 'Sent', publishedSeq: 0, outcomeSeq: 1 });
  await settled(driver, victim.kill());
  await settled(driver, driver.startAnother('heir'));
  await driver.time.advance(2_000);
  expect(driver.dispatched()).toHaveLength(1);
  expect(await stored(driver, anId())).toMatchObject({ publishedSeq: 1, wakeAtMs: null });
});

test('an acknowledgement that is lost makes a repeat that is equal byte for byte', async () => {
  const driver = await drive();
  let isLost = false;
  driver.log.beforeSend(({ topic }) => {
    if (topic !== driver.topics.dispatched || isLost) return 'ok';
    isLost = true;
    return 'lost-ack';
  });
  await driver.request(aRequest());
  await driver.time.advance(5_000);
  const [first, second] = driver.dispatched();
  expect(driver.dispatched()).toHaveLength(2);
  expect(second).toMatchObject({ key: first?.key, value: first?.value, headers: first?.headers });
  expect(await stored(driver, anId())).toMatchObject({ publishedSeq: 1, wakeAtMs: null });
});

test('reading all inputs again from the beginning calls nobody and changes no row', async () => {
  const driver = await drive({
    script: { byReference: { [anId(2)]: [RETRIED], [anId(3)]: [LOST] } },
    config: { maxAttempts: 2 },
  });
  const ids = [1, 2, 3, 4, 5].map((n) => anId(n));
  for (const notificationId of ids.slice(0, 3)) await driver.request(aRequest({ notificationId }));
  await driver.request(aRequest({ notificationId: anId(4), channel: 'sms' }));
  await driver.request(
    aRequest({ notificationId: anId(5), notBeforeMs: driver.time.clock.nowMs() + 30 * 86_400_000 }),
  );
  await driver.time.advance(120_000);
  await settled(driver, driver.processor.stop());
  const rows = await Promise.all(ids.map((id) => driver.row(id)));
  const [calls, published] = [driver.mail.calls.length, driver.dispatched().length];
  const again = await startOn(driver, 'again', driver.ports, 'another-group');
  await driver.time.advance(30_000);
  expect(driver.log.committed('another-group').filter(({ offset }) => offset > 0).length).toBeGreaterThan(3);
  expect(again.inFlight()).toBe(0);
  expect(driver.mail.calls).toHaveLength(calls);
  expect(driver.dispatched()).toHaveLength(published);
  expect(await Promise.all(ids.map((id) => driver.row(id)))).toEqual(rows);
  expect(rows.map((row) => row?.final ?? row?.hold ?? 'waits')).toEqual([
    'accepted',
    'accepted',
    'accepted',
    'channel-unconfigured',
    'waits',
  ]);
});
