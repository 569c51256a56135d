// Waits of every kind: for a time, for a channel, for the sweeper. Never early, never without a time or a named reason.
import { describe, expect, test } from 'vitest';
import { defaultChannelConfig } from '../../../src/domain/channel.ts';
import { Fault } from '../../../src/runtime/fault.ts';
import { SWEEP_LOCK } from '../../../src/topology/sweep.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import {
  type Driven,
  DUE,
  drive,
  leave,
  outcomes,
  RETRIED,
  settled,
  stored,
  WAITS,
  wakeUps,
} from './driving.ts';

const DAY_MS = 86_400_000;
const NO_CHANNEL = { isEnabled: false } as const;

/** One pass, with all that it sets in motion before time goes on. */
const sweep = (driver: Driven) => settled(driver, driver.processor.sweep());

describe('a request for later', () => {
  test('is sent at its time and not before', async () => {
    const driver = await drive();
    await driver.request(aRequest({ notBeforeMs: driver.time.clock.nowMs() + 100_000 }));
    await driver.time.advance(99_999);
    expect(driver.mail.calls).toHaveLength(0);
    await driver.time.advance(1_000);
    expect(driver.mail.messages).toHaveLength(1);
  });

  test('beyond the largest tier rests in the table, enters the log two minutes ahead, and is on time', async () => {
    const driver = await drive();
    await driver.request(aRequest({ notBeforeMs: driver.time.clock.nowMs() + DAY_MS / 24 }));
    await driver.time.advance(DAY_MS / 24 - 200_000);
    expect(wakeUps(driver)).toHaveLength(0);
    await driver.time.advance(199_999);
    expect(wakeUps(driver).length).toBeGreaterThan(0);
    expect((await stored(driver, anId())).wakeInLog).toBe(true);
    expect(driver.mail.calls).toHaveLength(0);
    await driver.time.advance(1_000);
    expect(driver.mail.messages).toHaveLength(1);
    expect(wakeUps(driver).length).toBeLessThanOrEqual(3);
  });
});

test('a log whose clock is slow does not send wake-ups round and round', async () => {
  const aheadMs = 5 * 60_000;
  const driver = await drive({
    around: (ports) => ({
      ...ports,
      clock: { ...ports.clock, nowMs: () => ports.clock.nowMs() + aheadMs },
      store: {
        ...ports.store,
        load: async (ids) => {
          const loaded = await ports.store.load(ids);
          return { ...loaded, nowMs: loaded.nowMs + aheadMs };
        },
      },
    }),
  });
  const notBeforeMs = driver.time.clock.nowMs() + aheadMs + 14 * 60_000;
  await driver.request(aRequest({ notBeforeMs }));
  await driver.time.advance(13 * 60_000);
  expect(driver.mail.calls).toHaveLength(0);
  expect(wakeUps(driver).length).toBeLessThan(10);
  await driver.time.advance(4 * 60_000);
  expect(driver.mail.messages).toHaveLength(1);
});

test('a local clock that jumps ahead makes nothing early: the store is asked before a row is woken', async () => {
  let jumpedMs = 0;
  const driver = await drive({
    script: { steps: [RETRIED] },
    settings: { channelPollMs: 3_600_000 },
    around: (ports) => ({
      ...ports,
      clock: { ...ports.clock, nowMs: () => ports.clock.nowMs() + jumpedMs },
    }),
  });
  await driver.request(aRequest());
  await driver.time.advance(10_000);
  jumpedMs = 600_000;
  await driver.request(aRequest({ notificationId: anId(2) }));
  await driver.time.advance(21_400);
  expect(driver.mail.calls.filter(({ call }) => call.reference === anId())).toHaveLength(1);
  await driver.time.advance(2_000);
  expect(driver.mail.messages).toHaveLength(2);
});

describe('a request that is not wanted after a time', () => {
  test('and comes after it is final at once, without a call', async () => {
    const driver = await drive();
    await driver.request(aRequest({ notAfterMs: driver.time.clock.nowMs() }));
    await driver.time.settle();
    expect(driver.mail.calls).toHaveLength(0);
    expect(await outcomes(driver)).toMatchObject([{ reason: 'expired', errorCode: 'NTF_EXPIRED' }]);
  });

  test('is not tried again after it', async () => {
    const driver = await drive({ script: { fallback: RETRIED } });
    await driver.request(aRequest({ notAfterMs: driver.time.clock.nowMs() + 40_000 }));
    await driver.time.advance(120_000);
    expect(driver.mail.calls).toHaveLength(2);
    expect(await outcomes(driver)).toMatchObject([{ reason: 'expired', attempts: 2 }]);
  });

  test('ends also while its channel is off', async () => {
    const driver = await drive({ config: NO_CHANNEL });
    await driver.request(aRequest({ notAfterMs: driver.time.clock.nowMs() + 40_000 }));
    expect((await stored(driver, anId())).hold).toBe('channel-disabled');
    await driver.time.advance(45_000);
    expect(await outcomes(driver)).toMatchObject([{ reason: 'expired', attempts: 0 }]);
  });
});

describe('a channel that comes back', () => {
  test('gets its notifications at its own pace', async () => {
    const driver = await drive({ config: { ...NO_CHANNEL, releasePerSecond: 2 } });
    for (let n = 1; n <= 30; n += 1) await driver.request(aRequest({ notificationId: anId(n) }));
    expect(driver.counted('pin_channel_disabled_skips_total', { channel: 'email' })).toBe(30);
    await driver.store.saveChannel({ ...defaultChannelConfig('email', 'mail'), releasePerSecond: 2 });
    await driver.time.advance(8_000);
    const sentSoon = driver.mail.messages.length;
    expect(sentSoon).toBeGreaterThanOrEqual(8);
    expect(sentSoon).toBeLessThanOrEqual(16);
    await driver.time.advance(15_000);
    expect(driver.mail.messages).toHaveLength(30);
  });

  test('with a provider that it did not have lets them go', async () => {
    const driver = await drive({ config: { providerKey: null } });
    await driver.request(aRequest());
    expect(await stored(driver, anId())).toMatchObject({ hold: 'channel-unconfigured', attempts: 0 });
    await driver.store.saveChannel(defaultChannelConfig('email', 'mail'));
    await driver.time.advance(5_000);
    expect(driver.mail.messages).toHaveLength(1);
  });

  test('from a stub to a provider lets them go', async () => {
    const driver = await drive({ facts: { isStub: true } });
    await driver.request(aRequest());
    expect(await stored(driver, anId())).toMatchObject({ hold: 'channel-stub', attempts: 0 });
    expect(await sweep(driver)).toEqual({ woken: 0, released: 0 });
    expect(driver.mail.calls).toHaveLength(0);
  });
});

describe('the sweeper', () => {
  test('finds every overdue row, page after page, once in a pass', async () => {
    const driver = await drive({ script: { fallback: WAITS } });
    for (let n = 1; n <= 520; n += 1) await leave(driver, n, DUE);
    expect(await sweep(driver)).toEqual({ woken: 520, released: 0 });
    expect(wakeUps(driver)).toHaveLength(520);
    expect(new Set(wakeUps(driver).map(({ key }) => String(key))).size).toBe(520);
    expect(await sweep(driver)).toEqual({ woken: 0, released: 0 });
  });

  test('finds an outcome that nobody published', async () => {
    const driver = await drive();
    await driver.request(aRequest());
    await driver.time.advance(2_000);
    const row = await stored(driver, anId());
    await driver.store.write({
      expectedVersion: row.version,
      change: {
        next: { ...row, outcomeSeq: 2, outcome: row.outcome && { ...row.outcome, seq: 2, supersedes: 1 } },
        wake: DUE,
        isNextAttempt: false,
        trail: 'left',
      },
      writeToken: anId(77),
    });
    await driver.time.advance(70_000);
    expect((await outcomes(driver)).map(({ outcomeSeq }) => outcomeSeq)).toEqual([1, 2]);
    expect(await stored(driver, anId())).toMatchObject({ publishedSeq: 2, wakeAtMs: null });
  });

  test('runs in one process at a time', async () => {
    const driver = await drive();
    await leave(driver, 1, DUE);
    let passed: () => void = () => undefined;
    const held = driver.store.underLock(SWEEP_LOCK, () => new Promise<void>((resolve) => (passed = resolve)));
    expect(await sweep(driver)).toBeNull();
    passed();
    await held;
    expect(await sweep(driver)).toEqual({ woken: 1, released: 0 });
  });

  test('that a stop cut short has not finished: the next pass sees all rows again', async () => {
    let stop: () => void = () => undefined;
    const driver = await drive({
      script: { fallback: WAITS },
      around: (ports) => ({
        ...ports,
        store: {
          ...ports.store,
          overdue: (page) => {
            if (page.after !== null) stop();
            return ports.store.overdue(page);
          },
        },
      }),
    });
    for (let n = 1; n <= 510; n += 1) await leave(driver, n, DUE);
    stop = () => void driver.processor.stop();
    await sweep(driver);
    expect(driver.processor.state()).toBe('stopped');
    expect(await driver.store.lastSweepMs()).toBeNull();
    stop = () => undefined;
    const heir = await settled(driver, driver.startAnother('heir'));
    expect(await settled(driver, heir.sweep())).toEqual({ woken: 510, released: 0 });
    expect(await driver.store.lastSweepMs()).toBe(driver.time.clock.nowMs());
  });

  test('does not finish a pass whose records the log refused', async () => {
    const driver = await drive();
    await leave(driver, 1, DUE);
    const admin = await driver.log.admin();
    for (const { topic } of driver.topics.tiers) await admin.alter(topic, { 'max.message.bytes': '1' });
    await expect(sweep(driver)).rejects.toThrow();
    expect(await driver.store.lastSweepMs()).toBeNull();
  });

  test('wakes a row that nobody handles again and again, ever more rarely', async () => {
    const away = new Fault('STATE_UNAVAILABLE', 'away', { retriable: true });
    const driver = await drive({
      around: (ports) => ({
        ...ports,
        store: {
          ...ports.store,
          load: (ids) => (ids.length > 0 ? Promise.reject(away) : ports.store.load(ids)),
        },
      }),
    });
    await leave(driver, 1, DUE);
    await driver.time.advance(20 * 60_000);
    expect(wakeUps(driver)).toHaveLength(5);
  });
});
