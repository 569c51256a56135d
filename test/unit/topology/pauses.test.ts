// What operators stop for a while, and let go again, while a processor runs.
import { describe, expect, test } from 'vitest';
import type { PauseKey } from '../../../src/domain/pause.ts';
import type { NotificationRequest } from '../../../src/domain/request.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import { type Driven, drive, outcomes, RETRIED, settled, stored, WAITS } from './driving.ts';

const POLL_MS = 2_000;

async function pause(driver: Driven, ...keys: readonly PauseKey[]): Promise<void> {
  for (const key of keys) await driver.store.savePause({ key, reason: 'storm', by: 'ada' });
  await driver.time.advance(POLL_MS);
}

async function resume(driver: Driven, ...keys: readonly PauseKey[]): Promise<void> {
  for (const key of keys) await driver.store.endPause(key);
  await driver.time.advance(POLL_MS);
}

async function request(driver: Driven, n: number, over: Partial<NotificationRequest> = {}): Promise<void> {
  await driver.request(aRequest({ notificationId: anId(n), ...over }));
}

const TEMPLATE = { template: { key: 'welcome', version: null, locale: null }, body: null };
const holdOf = async (driver: Driven, n: number) => (await stored(driver, anId(n))).hold;

describe('a pause', () => {
  test.each<[PauseKey, Partial<NotificationRequest>, Partial<NotificationRequest>]>([
    ['channel:email', {}, { channel: 'sms', recipient: '+15550100' }],
    ['tenant:tenant-1', {}, { tenantId: 'tenant-2' }],
    ['tenant-none', { tenantId: null }, { tenantId: 'none' }],
    ['template:welcome', TEMPLATE, {}],
  ])('of %s holds exactly its own, and they are sent once when it ends', async (key, own, other) => {
    const driver = await drive();
    await pause(driver, key);
    await request(driver, 1, own);
    await request(driver, 2, other);
    await driver.time.advance(120_000);
    expect(await stored(driver, anId(1))).toMatchObject({
      ...{ hold: `paused ${key}`, attempts: 0, status: 'Pending', wakeAtMs: null },
    });
    expect((await holdOf(driver, 2)) ?? '').not.toMatch(/^paused/);
    expect(driver.mail.calls.filter(({ call }) => call.reference === anId(1))).toHaveLength(0);
    await resume(driver, key);
    await driver.time.advance(10_000);
    expect(driver.mail.calls.filter(({ call }) => call.reference === anId(1))).toHaveLength(1);
    expect(await stored(driver, anId(1))).toMatchObject({ status: 'Sent', attempts: 1 });
  });

  test('that another one outlives goes on holding what that one holds', async () => {
    const driver = await drive();
    await pause(driver, 'tenant:tenant-1', 'template:welcome');
    await request(driver, 1, TEMPLATE);
    await request(driver, 2);
    expect(await holdOf(driver, 1)).toBe('paused tenant:tenant-1');
    await resume(driver, 'tenant:tenant-1');
    await driver.time.advance(60_000);
    expect(await holdOf(driver, 1)).toBe('paused template:welcome');
    expect(driver.mail.messages.map(({ reference }) => reference)).toEqual([anId(2)]);
    await resume(driver, 'template:welcome');
    await driver.time.advance(60_000);
    expect(driver.mail.messages).toHaveLength(2);
  });

  test('of the whole channel lets nobody be woken for a pause that ended beneath it', async () => {
    const driver = await drive();
    await pause(driver, 'tenant:tenant-1');
    await request(driver, 1);
    await pause(driver, 'channel:email');
    await resume(driver, 'tenant:tenant-1');
    const before = await stored(driver, anId(1));
    await driver.time.advance(200_000);
    expect(await stored(driver, anId(1))).toEqual(before);
    await resume(driver, 'channel:email');
    await driver.time.advance(10_000);
    expect(driver.mail.messages).toHaveLength(1);
  });

  test('catches what waits between two attempts, and keeps the attempts', async () => {
    const driver = await drive({ script: { steps: [RETRIED] } });
    await request(driver, 1);
    await pause(driver, 'tenant:tenant-1');
    await driver.time.advance(60_000);
    expect(await stored(driver, anId(1))).toMatchObject({
      ...{ hold: 'paused tenant:tenant-1', status: 'Failed', attempts: 1 },
    });
    await resume(driver, 'tenant:tenant-1');
    await driver.time.advance(10_000);
    expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 2 }]);
  });

  test('leaves a call that is in flight alone', async () => {
    const driver = await drive({ script: { fallback: WAITS } });
    await request(driver, 1);
    await pause(driver, 'tenant:tenant-1');
    driver.mail.release();
    await driver.time.advance(1_000);
    expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 1 }]);
  });

  test('does not keep the copy in the app from arriving', async () => {
    const driver = await drive();
    await pause(driver, 'tenant:tenant-1');
    await request(driver, 1, { inApp: { userId: 'u', title: 't', body: 'b' } });
    expect(await stored(driver, anId(1))).toMatchObject({ inAppStatus: 'arrived', status: 'Pending' });
  });

  test('ends in NTF_EXPIRED for what is too late by then', async () => {
    const driver = await drive();
    await pause(driver, 'tenant:tenant-1');
    await request(driver, 1, { notAfterMs: driver.time.clock.nowMs() + 30_000 });
    await driver.time.advance(40_000);
    expect(await outcomes(driver)).toMatchObject([{ reason: 'expired', attempts: 0 }]);
    await resume(driver, 'tenant:tenant-1');
    await driver.time.advance(60_000);
    expect(driver.mail.calls).toHaveLength(0);
  });

  test('that many stand beside costs its channel no more than its own pace', async () => {
    const driver = await drive({ config: { releasePerSecond: 2 } });
    const tenants = ['a', 'b', 'c', 'd', 'e'];
    const keys = tenants.map((tenant): PauseKey => `tenant:${tenant}`);
    await pause(driver, ...keys, 'tenant:stays');
    for (let n = 1; n <= 30; n += 1) await request(driver, n, { tenantId: tenants[n % 5] ?? null });
    for (let n = 31; n <= 40; n += 1) await request(driver, n, { tenantId: 'stays' });
    await resume(driver, ...keys);
    await driver.time.advance(8_000 - POLL_MS);
    expect(driver.mail.messages.length).toBeGreaterThanOrEqual(8);
    expect(driver.mail.messages.length).toBeLessThanOrEqual(16);
    await driver.time.advance(15_000);
    expect(driver.mail.messages).toHaveLength(30);
    expect(await settled(driver, driver.store.heldCounts())).toEqual([
      { channel: 'email', hold: 'paused tenant:stays', count: 10 },
    ]);
  });
});

describe('a gate that an operator closed', () => {
  const say = async (driver: Driven, state: 'open' | 'closed', forMs: number | null = null) => {
    await driver.store.saveGate({ providerKey: 'mail', state, forMs, reason: 'storm', by: 'ada' });
    await driver.time.advance(POLL_MS);
  };

  test('lets nobody call, uses no attempt, and lets everybody go when it opens, slowly at first', async () => {
    const driver = await drive({ script: { fallback: WAITS }, facts: { maxConcurrency: 4 } });
    await say(driver, 'closed');
    for (let n = 1; n <= 8; n += 1) await request(driver, n);
    await driver.time.advance(60_000);
    expect(driver.mail.calls).toHaveLength(0);
    expect(driver.processor.gates()).toMatchObject([{ state: 'closed-by-operator', why: 'operator' }]);
    for (let n = 1; n <= 8; n += 1)
      expect(await stored(driver, anId(n))).toMatchObject({ attempts: 0, hold: null, status: 'Pending' });
    await say(driver, 'open');
    await driver.time.advance(120_000);
    expect(driver.mail.calls).toHaveLength(1);
    for (let n = 1; n <= 8; n += 1) {
      driver.mail.release();
      await driver.time.advance(60_000);
    }
    expect(await outcomes(driver)).toMatchObject(Array.from({ length: 8 }, () => ({ attempts: 1 })));
  });

  test('opens by itself after its time', async () => {
    const driver = await drive();
    await say(driver, 'closed', 30_000);
    await request(driver, 1);
    await driver.time.advance(27_000);
    expect(driver.mail.calls).toHaveLength(0);
    await driver.time.advance(20_000);
    expect(driver.mail.messages).toHaveLength(1);
    expect(driver.processor.gates()).toMatchObject([{ state: 'open', why: null, untilMs: null }]);
  });

  test('opens also what the processor had closed by itself', async () => {
    const driver = await drive({ script: { steps: [{ kind: 'misconfigured', providerCode: '401' }] } });
    await request(driver, 1);
    expect(driver.processor.gates()).toMatchObject([{ state: 'closed', why: 'misconfigured' }]);
    await say(driver, 'open');
    expect(driver.processor.gates()).toMatchObject([{ state: 'open' }]);
    await request(driver, 2);
    await driver.time.settle();
    expect(driver.mail.messages.map(({ reference }) => reference)).toEqual([anId(2)]);
  });
});

describe('a provider that fails for everybody', () => {
  const BREAKER = { windowMs: 30_000, minCalls: 5, failureShare: 0.8 };

  test('is left alone after a few calls, so that the others keep their attempts, and is back with one probe', async () => {
    const steps = Array.from({ length: 6 }, () => RETRIED);
    const driver = await drive({ settings: { breaker: BREAKER }, script: { steps, fallback: WAITS } });
    for (let n = 1; n <= 5; n += 1) await request(driver, n);
    await driver.time.settle();
    expect(driver.processor.gates()).toMatchObject([{ state: 'closed', why: 'failing' }]);
    for (let n = 6; n <= 25; n += 1) await request(driver, n);
    await driver.time.advance(13_500);
    // The probe failed as well: closed for longer, and nobody else was called.
    expect(driver.mail.calls).toHaveLength(6);
    await driver.time.advance(30_000);
    expect(driver.mail.calls).toHaveLength(7);
    for (let round = 0; round < 40; round += 1) {
      driver.mail.release();
      await driver.time.advance(10_000);
    }
    const told = await outcomes(driver);
    expect(told).toHaveLength(25);
    const attempts = told.map((outcome) => outcome.attempts).sort();
    expect(attempts.filter((count) => count > 1).length).toBeLessThanOrEqual(6);
    expect(Math.max(...attempts)).toBeLessThanOrEqual(3);
  });
});
