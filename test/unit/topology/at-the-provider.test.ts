// What happens around a call: gates, permits, and copies that wait for none of them.
import { describe, expect, test } from 'vitest';
import type { ProviderFacts } from '../../../src/domain/call-outcome.ts';
import type { ScriptStep } from '../../../src/providers/scripted/script.ts';
import { SCRIPTED_FACTS, scriptedProvider } from '../../../src/providers/scripted/scripted-provider.ts';
import { pause } from '../../../src/runtime/timers.ts';
import type { ProcessorPorts } from '../../../src/topology/processor.ts';
import { TEST_SETTINGS } from '../../../src/topology/test-driver.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import { type Driven, drive, outcomes, RETRIED, stored, WAITS } from './driving.ts';

const UNAUTHORISED = { kind: 'misconfigured', providerCode: '401' } as const;

async function requestMany(driver: Driven, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n += 1) await driver.request(aRequest({ notificationId: anId(n) }));
}

/** Claims that are dear beside the calls: some go ahead of the places. */
const withClaimsOf200Ms = (ports: ProcessorPorts): ProcessorPorts => ({
  ...ports,
  store: {
    ...ports.store,
    async insert(insertion) {
      await pause(ports.timers, 200);
      return ports.store.insert(insertion);
    },
  },
});

async function requestEvery200Ms(driver: Driven, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n += 1) {
    await driver.request(aRequest({ notificationId: anId(n) }));
    await driver.time.advance(200);
  }
}

/** Two calls are at the provider and wait as `step` says; the row of 27 is claimed and waits for a place. */
async function withOneAhead(step: ScriptStep): Promise<Driven> {
  const driver = await drive({ facts: { maxConcurrency: 2 }, around: withClaimsOf200Ms });
  await requestEvery200Ms(driver, 1, 24);
  driver.mail.addSteps(step, step);
  await requestMany(driver, 25, 27);
  await driver.time.advance(200);
  expect((await stored(driver, anId(27))).claim).not.toBeNull();
  expect(driver.mail.calls).toHaveLength(26);
  return driver;
}

test('who claimed ahead and waits for a place does not call a provider whose gate an operator closed', async () => {
  const driver = await withOneAhead(WAITS);
  await driver.store.saveGate({
    providerKey: 'mail',
    state: 'closed',
    forMs: null,
    reason: 'storm',
    by: 'ada',
  });
  await driver.time.advance(TEST_SETTINGS.channelPollMs);
  driver.mail.release();
  await driver.time.settle();
  expect(driver.mail.calls).toHaveLength(26);
  expect(await stored(driver, anId(27))).toMatchObject({ claim: null, attempts: 0, status: 'Pending' });
});

describe('a provider that refuses everybody', () => {
  test('is left alone by all, then probed by one, and no attempt is used', async () => {
    const driver = await drive({ script: { steps: [UNAUTHORISED, WAITS] } });
    await driver.request(aRequest());
    expect(await stored(driver, anId())).toMatchObject({
      attempts: 0,
      lastError: { errorClass: 'misconfigured' },
    });
    await requestMany(driver, 2, 6);
    await driver.time.advance(29_900);
    expect(driver.mail.calls).toHaveLength(1);
    await driver.time.advance(9_000);
    expect(driver.mail.calls).toHaveLength(2);
    expect(driver.processor.gates()).toMatchObject([{ providerKey: 'mail', state: 'half-open' }]);
    driver.mail.release();
    await driver.time.advance(60_000);
    expect(driver.mail.messages).toHaveLength(6);
    expect(await outcomes(driver)).toMatchObject(Array.from({ length: 6 }, () => ({ attempts: 1 })));
    expect(driver.processor.gates()).toMatchObject([{ providerKey: 'mail', state: 'open' }]);
  });

  test('is probed by the next when the claim of the probe came to nothing', async () => {
    let isStale = false;
    const driver = await drive({
      script: { steps: [UNAUTHORISED] },
      around: (ports) => ({
        ...ports,
        store: {
          ...ports.store,
          write(write) {
            if (!isStale || write.change.next.claim === null) return ports.store.write(write);
            isStale = false;
            return Promise.resolve({ kind: 'stale' });
          },
        },
      }),
    });
    await driver.request(aRequest());
    isStale = true;
    await driver.time.advance(36_000);
    expect(isStale).toBe(false);
    expect(driver.mail.messages).toHaveLength(1);
  });

  test('is not called by who claimed ahead and waits for a place', async () => {
    // biome-ignore lint/suspicious/noThenProperty: a word of the script, which nobody awaits
    const driver = await withOneAhead({ kind: 'wait', then: UNAUTHORISED });
    driver.mail.release();
    await driver.time.settle();
    expect(driver.processor.gates()).toMatchObject([{ providerKey: 'mail', state: 'closed' }]);
    expect(driver.mail.calls).toHaveLength(26);
    expect(await stored(driver, anId(27))).toMatchObject({ claim: null, attempts: 0 });
    await driver.time.advance(120_000);
    expect(await outcomes(driver)).toMatchObject(Array.from({ length: 27 }, () => ({ status: 'Sent' })));
  });

  test('is not called before the time that an account-wide limit names', async () => {
    const limited = {
      kind: 'rate-limited',
      retryAfterMs: 70_000,
      scope: 'provider',
      providerCode: null,
    } as const;
    const driver = await drive({ script: { steps: [limited] } });
    await driver.request(aRequest());
    await requestMany(driver, 2, 5);
    await driver.time.advance(69_900);
    expect(driver.mail.calls).toHaveLength(1);
    await driver.time.advance(60_000);
    expect(driver.mail.messages).toHaveLength(5);
  });

  test('gets its calls back one at a time at first', async () => {
    const driver = await drive({ script: { steps: [UNAUTHORISED], fallback: WAITS } });
    await requestMany(driver, 1, 10);
    await driver.time.advance(40_000);
    driver.mail.release();
    await driver.time.settle();
    const openAfterEach: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      await driver.time.advance(2_000);
      openAfterEach.push(driver.mail.openCalls());
      driver.mail.release();
    }
    expect(openAfterEach.find((open) => open > 0)).toBe(1);
    expect(Math.max(...openAfterEach)).toBeGreaterThan(1);
    await driver.time.advance(60_000);
    driver.mail.release();
    await driver.time.advance(2_000);
    expect(driver.mail.messages).toHaveLength(10);
  });
});

describe('a slow provider', () => {
  const sms = () => scriptedProvider({ ...SCRIPTED_FACTS, providerKey: 'sms' });
  const slow = async (facts: Partial<ProviderFacts>) => {
    const quick = sms();
    const driver = await drive({
      facts,
      script: { fallback: WAITS },
      sms: quick,
      settings: { maxInFlight: 16 },
    });
    await requestMany(driver, 1, 60);
    return { driver, quick };
  };
  const askSms = (driver: Driven, n: number) =>
    driver.request(aRequest({ notificationId: anId(n), channel: 'sms' }));

  test('does not keep another channel waiting once its queue is known to be long', async () => {
    const { driver, quick } = await slow({ maxConcurrency: 4 });
    await askSms(driver, 101);
    await driver.time.advance(6_000);
    expect(quick.messages).toHaveLength(1);
    await askSms(driver, 102);
    expect(quick.messages).toHaveLength(2);
    expect(driver.mail.openCalls()).toBe(4);
  });

  test('has places of its own for its calls, however many they are', async () => {
    const { driver, quick } = await slow({ maxConcurrency: 40 });
    expect(driver.mail.openCalls()).toBe(40);
    await driver.time.advance(6_000);
    await askSms(driver, 101);
    expect(quick.messages).toHaveLength(1);
  });

  test('loses nothing: what was parked is sent when its turn comes', async () => {
    const { driver } = await slow({ maxConcurrency: 4 });
    for (let minute = 0; minute < 20 && driver.mail.messages.length < 60; minute += 1) {
      await driver.time.advance(10_000);
      driver.mail.release();
    }
    await driver.time.advance(2_000);
    expect(driver.mail.messages).toHaveLength(60);
    expect(new Set(driver.mail.messages.map(({ reference }) => reference)).size).toBe(60);
    expect(driver.counted('pin_notifications_dispatched_total')).toBe(60);
  });
});

describe('an in-app copy', () => {
  const inApp = { userId: 'u-1', title: 'Hello', body: 'Hello, Ada' };

  test('arrives with the first commit although the provider has no permit left', async () => {
    const driver = await drive({ facts: { maxConcurrency: 1 }, script: { steps: [WAITS] } });
    await driver.request(aRequest());
    await driver.request(aRequest({ notificationId: anId(2), inApp }));
    expect(await stored(driver, anId(2))).toMatchObject({ inAppStatus: 'arrived', attempts: 0, claim: null });
    driver.mail.release();
    await driver.time.advance(5_000);
    expect(driver.mail.messages).toHaveLength(2);
  });

  test('arrives with the claim where a permit is at hand, and behind a closed gate', async () => {
    const driver = await drive({ script: { steps: [UNAUTHORISED] } });
    await driver.request(aRequest({ inApp }));
    await driver.request(aRequest({ notificationId: anId(2), inApp }));
    expect(await stored(driver, anId(1))).toMatchObject({ inAppStatus: 'arrived' });
    expect(await stored(driver, anId(2))).toMatchObject({ inAppStatus: 'arrived', attempts: 0 });
  });

  test('waits for notBefore and for nothing else', async () => {
    const driver = await drive({ facts: { maxConcurrency: 1 }, script: { fallback: WAITS } });
    const notBeforeMs = driver.time.clock.nowMs() + 20_000;
    await driver.request(aRequest({ notificationId: anId(2), inApp, notBeforeMs }));
    await driver.request(aRequest());
    await driver.time.advance(19_000);
    expect(await stored(driver, anId(2))).toMatchObject({ inAppStatus: 'waiting' });
    await driver.time.advance(2_000);
    expect(await stored(driver, anId(2))).toMatchObject({ inAppStatus: 'arrived', attempts: 0 });
  });

  test('is not shown for a request that was over when it came', async () => {
    const driver = await drive();
    await driver.request(aRequest({ inApp, notAfterMs: driver.time.clock.nowMs() - 1 }));
    expect(await stored(driver, anId())).toMatchObject({ inAppStatus: 'none', final: 'expired' });
  });
});

test('a retry is counted when it is sent', async () => {
  const driver = await drive({ script: { steps: [RETRIED] } });
  await driver.request(aRequest());
  await driver.time.advance(40_000);
  expect(driver.counted('pin_retry_sent_total', { channel: 'email' })).toBe(1);
  expect(driver.counted('pin_delivery_attempts_total', { result: 'transient' })).toBe(1);
});

test('a vendor’s id that the table cannot hold is recorded without what it cannot hold', async () => {
  const driver = await drive({ script: { steps: [{ kind: 'accepted', providerMessageId: 'a\0b' }] } });
  await driver.request(aRequest());
  await driver.time.advance(2_000);
  expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', providerMessageId: 'ab' }]);
});
