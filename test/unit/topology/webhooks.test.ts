// Webhooks as a keyed stream, on the in-memory log and store: order, repeats, reopening, parking and joining, and counters that add up.
import { describe, expect, test } from 'vitest';
import type { Log, OutgoingRecord } from '../../../src/broker/log.ts';
import type { ProviderWebhook } from '../../../src/domain/provider-webhook.ts';
import { parkUnnamed, type UnnamedWebhook } from '../../../src/state/parking-call.ts';
import { notificationCommandRecord } from '../../../src/streams/notification-command.ts';
import { providerWebhookRecord } from '../../../src/streams/provider-webhook.ts';
import { DEFAULT_RETENTION } from '../../../src/topology/retention-settings.ts';
import { aCommand, anId, aRequest, aWebhook, BOUNCE } from '../../support/a-notification.ts';
import {
  type Driven,
  drive,
  everythingIsDone,
  outcomes,
  produceRaw,
  RETRIED,
  settled,
  stored,
  WAITS,
} from './driving.ts';

const DAY_MS = 86_400_000;

async function report(driver: Driven, ...webhooks: readonly Partial<ProviderWebhook>[]): Promise<void> {
  const producer = await driver.log.producer();
  for (const over of webhooks) {
    const record = providerWebhookRecord(driver.topics, driver.codec, aWebhook(over), null);
    await settled(driver, producer.send(record));
  }
}

async function park(driver: Driven, over: Partial<ProviderWebhook>): Promise<'parked' | 'joined'> {
  const producer = await driver.log.producer();
  const { store, metrics } = driver.ports;
  const webhook = { ...aWebhook(over), notificationId: null } as UnnamedWebhook;
  const publish = async (named: ProviderWebhook) => {
    await producer.send(providerWebhookRecord(driver.topics, driver.codec, named, null));
  };
  return settled(
    driver,
    parkUnnamed({ store, metrics, keepMs: DEFAULT_RETENTION.parkedMs, publish }, webhook),
  );
}

/** A log that never answers about some records. */
function holding(log: Log, isHeld: (record: OutgoingRecord) => boolean): Log {
  return {
    ...log,
    async producer() {
      const producer = await log.producer();
      const send = (record: OutgoingRecord) =>
        isHeld(record) ? new Promise<never>(() => undefined) : producer.send(record);
      return { ...producer, send };
    },
  };
}

const results = (driver: Driven, result: string) => driver.counted('pin_webhooks_total', { result });

/** received = applied + ignored + dead + parked for want of a row; `doors`: parked by the parking call. */
function expectReconciled(driver: Driven, doors = 0): void {
  const all = ['repeat', 'no-message', 'purged'].reduce(
    (sum, why) => sum + results(driver, `ignored-${why}`),
    0,
  );
  const dead = driver.counted('pin_webhooks_total', { provider: 'unread' }) / 2;
  expect(results(driver, 'received')).toBe(
    results(driver, 'applied') + all + dead + results(driver, 'parked') - doors,
  );
}

const sent = async (over: Parameters<typeof drive>[0] = {}) => {
  const driver = await drive(over);
  await driver.request(aRequest());
  await driver.time.advance(2_000);
  return driver;
};
const message = (driver: Driven, n = 0) => driver.mail.messages[n]?.providerMessageId ?? 'none';
const HARD = { verdict: 'failed', errorClass: 'refused' } as const;

describe('a webhook', () => {
  test('delivered sets DeliveredAt once, however often it is repeated, and no outcome is published', async () => {
    const driver = await sent();
    const delivered = { providerMessageId: message(driver) };
    await report(driver, ...Array.from({ length: 46 }, () => delivered));
    const row = await stored(driver, anId());
    expect(row).toMatchObject({ status: 'Sent', deliveredAtMs: aWebhook().occurredAtMs, version: 3 });
    expect(await outcomes(driver)).toHaveLength(1);
    expect(results(driver, 'applied')).toBe(1);
    expect(results(driver, 'ignored-repeat')).toBe(45);
    expectReconciled(driver);
    await driver.time.advance(2_000);
    expect(everythingIsDone(driver)).toBe(true);
  });

  test('right after the send does not have the outcome told twice', async () => {
    const driver = await drive();
    await driver.request(aRequest());
    await report(driver, { providerMessageId: message(driver) });
    expect(await stored(driver, anId())).toMatchObject({ publishedSeq: 1, wakeAtMs: null, version: 3 });
    expect(driver.dispatched()).toHaveLength(1);
  });

  test('failed reopens, and the retry ends in a second outcome only if it fails for good [AC7]', async () => {
    const driver = await sent();
    await report(driver, { ...BOUNCE, providerMessageId: message(driver) });
    expect(await stored(driver, anId())).toMatchObject({
      status: 'Failed',
      cycle: 1,
      attempts: 1,
      final: null,
    });
    expect(driver.events).toContain('notification.reopened');
    await driver.time.advance(60_000);
    expect(driver.mail.messages).toHaveLength(2);
    expect(await stored(driver, anId())).toMatchObject({
      status: 'Sent',
      cycle: 1,
      attempts: 2,
      outcomeSeq: 2,
    });
    await report(driver, { ...HARD, providerMessageId: message(driver) });
    await report(driver, { ...HARD, providerMessageId: message(driver, 1) });
    expect(await outcomes(driver)).toMatchObject([
      { outcomeSeq: 1, status: 'Sent', reason: 'accepted', supersedes: null, cycle: 0 },
      { outcomeSeq: 2, status: 'Sent', reason: 'accepted', supersedes: 1, cycle: 1 },
      {
        outcomeSeq: 3,
        status: 'Failed',
        reason: 'failed-webhook',
        supersedes: 2,
        evidence: 'failed-webhook',
      },
    ]);
    expectReconciled(driver);
  });

  test('failed after the whole budget ends as exhausted, and nothing goes to the dead letters [AC7]', async () => {
    const driver = await sent({ config: { maxAttempts: 2 } });
    await report(driver, { ...BOUNCE, providerMessageId: message(driver) });
    await driver.time.advance(60_000);
    await report(driver, { ...BOUNCE, providerMessageId: message(driver, 1) });
    await driver.time.advance(3_600_000);
    expect(driver.mail.calls).toHaveLength(2);
    expect((await outcomes(driver)).at(-1)).toMatchObject({
      outcomeSeq: 3,
      reason: 'exhausted',
      evidence: 'failed-webhook',
    });
    expect(driver.deadLetters()).toEqual([]);
  });

  test('that comes before the answer of its call waits in the lane of its key', async () => {
    const driver = await drive({ script: { steps: [WAITS] } });
    await driver.request(aRequest());
    await report(driver, { providerMessageId: null });
    expect(results(driver, 'received')).toBe(0);
    driver.mail.release();
    await driver.time.advance(2_000);
    expect(await stored(driver, anId())).toMatchObject({
      final: 'accepted',
      deliveredAtMs: aWebhook().occurredAtMs,
    });
  });

  test('publishes what the row owes before it changes the row', async () => {
    const driver = await drive();
    driver.log.beforeSend(({ topic }) => (topic === driver.topics.dispatched ? 'fail' : 'ok'));
    await driver.request(aRequest());
    await driver.time.advance(1_000);
    driver.log.beforeSend(() => 'ok');
    await driver.time.advance(5_000);
    await report(driver, { ...HARD, providerMessageId: message(driver) });
    expect((await outcomes(driver)).map(({ outcomeSeq }) => outcomeSeq)).toEqual([1, 2]);
  });

  test('that cannot be read ends in quarantine and is counted', async () => {
    const driver = await drive();
    await produceRaw(driver, { topic: driver.topics.webhooks, key: anId(), value: new Uint8Array([9, 9]) });
    expect(driver.counted('pin_quarantined_total')).toBe(1);
    expectReconciled(driver);
    await driver.time.advance(2_000);
    expect(everythingIsDone(driver)).toBe(true);
  });

  test('of a code without a class is taken for a passing failure and shown as unclassified', async () => {
    const driver = await sent();
    await report(driver, { verdict: 'failed', errorCode: 'E-77', providerMessageId: message(driver) });
    expect(await stored(driver, anId())).toMatchObject({ cycle: 1 });
    expect(driver.counted('pin_unclassified_codes_total', { provider: 'mail' })).toBe(1);
  });
});

describe('a webhook of a notification that is not there', () => {
  test('is parked, joined by the sweeper when its request came, and applied', async () => {
    const driver = await drive();
    await report(driver, { verdict: 'complained' });
    expect(await settled(driver, driver.store.parkedCount())).toBe(1);
    expectReconciled(driver);
    await driver.request(aRequest());
    await driver.time.advance(61_000);
    expect(await stored(driver, anId())).toMatchObject({ complainedAtMs: aWebhook().occurredAtMs });
    expect(await settled(driver, driver.store.parkedCount())).toBe(0);
    expect(results(driver, 'joined')).toBe(1);
    expectReconciled(driver);
  });

  test('is ignored where only the place of a request is kept', async () => {
    const driver = await drive();
    const producer = await driver.log.producer();
    await settled(
      driver,
      producer.send(notificationCommandRecord(driver.topics, driver.codec, aCommand(), null)),
    );
    const before = await stored(driver, anId());
    await report(driver, {});
    expect(await stored(driver, anId())).toEqual(before);
    expect(results(driver, 'ignored-purged')).toBe(1);
    expectReconciled(driver);
  });

  test('ends in quarantine when nobody knew it for a week', async () => {
    const driver = await drive({
      settings: { sweepPeriodMs: DAY_MS / 2, commitPeriodMs: DAY_MS, channelPollMs: DAY_MS },
    });
    await report(driver, {});
    await driver.time.advance(6 * DAY_MS);
    expect(await settled(driver, driver.store.parkedCount())).toBe(1);
    await driver.time.advance(2 * DAY_MS);
    expect(await settled(driver, driver.store.parkedCount())).toBe(0);
    expect(results(driver, 'dead-unmatched')).toBe(1);
  });
});

describe('a webhook that names no notification', () => {
  test('is joined at once when its message is known', async () => {
    const driver = await sent();
    expect(await park(driver, { providerMessageId: message(driver) })).toBe('joined');
    expect(await settled(driver, driver.store.parkedCount())).toBe(0);
    await driver.time.advance(1_000);
    expect(await stored(driver, anId())).toMatchObject({ deliveredAtMs: aWebhook().occurredAtMs });
    expectReconciled(driver, 1);
  });

  test('that comes before our settle is joined by the settle', async () => {
    const driver = await drive({ script: { steps: [RETRIED, WAITS] } });
    await driver.request(aRequest());
    await driver.time.advance(40_000);
    const early = { providerMessageId: 'mail-1' };
    expect(await park(driver, early)).toBe('parked');
    driver.mail.release();
    await driver.time.advance(2_000);
    expect(message(driver)).toBe(early.providerMessageId);
    expect(await stored(driver, anId())).toMatchObject({
      status: 'Sent',
      deliveredAtMs: aWebhook().occurredAtMs,
    });
    expect(await settled(driver, driver.store.parkedCount())).toBe(0);
    expectReconciled(driver, 1);
  });

  test('keeps its parking place until the log has it as a record', async () => {
    const driver = await drive({
      script: { steps: [RETRIED, WAITS] },
      around: (ports) => ({ ...ports, log: holding(ports.log, ({ topic }) => topic.includes('webhooks')) }),
    });
    await driver.request(aRequest());
    await driver.time.advance(40_000);
    expect(await park(driver, { providerMessageId: 'mail-1' })).toBe('parked');
    driver.mail.release();
    await driver.time.advance(2_000);
    expect(message(driver)).toBe('mail-1');
    expect(await settled(driver, driver.store.parkedCount())).toBe(1);
  });

  test('is joined by the sweeper when whoever parked it died before it looked', async () => {
    const driver = await sent();
    const webhook = { ...aWebhook({ providerMessageId: message(driver) }), notificationId: null };
    await settled(driver, driver.store.park(webhook, DAY_MS));
    await driver.time.advance(61_000);
    expect(await stored(driver, anId())).toMatchObject({ deliveredAtMs: aWebhook().occurredAtMs });
  });

  test('waits for a message that nobody knows, and another provider’s is another one', async () => {
    const driver = await sent();
    expect(await park(driver, { providerMessageId: message(driver), provider: 'other' })).toBe('parked');
    await driver.time.advance(120_000);
    expect(await settled(driver, driver.store.parkedCount())).toBe(1);
  });

  test('is not looked for where the provider always says our reference', async () => {
    const driver = await sent({ facts: { echoesReference: true } });
    expect(await park(driver, { providerMessageId: message(driver) })).toBe('parked');
  });
});
