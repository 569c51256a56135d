// What happens to a notification when its retention is over, and to everything that still comes for it afterwards.
import { describe, expect, test } from 'vitest';
import { notificationCommandRecord } from '../../../src/streams/notification-command.ts';
import { providerWebhookRecord } from '../../../src/streams/provider-webhook.ts';
import { DEFAULT_RETENTION, type RetentionSettings } from '../../../src/topology/retention-settings.ts';
import { aCommand, anId, aRequest, aWebhook } from '../../support/a-notification.ts';
import { type Driven, drive, mortal, reasonOf, settled, startOn, stored, WAITS } from './driving.ts';

const MINUTE_MS = 60_000;
const NEVER_MS = 1e12;
/** Minutes where people keep days. */
const SHORT: RetentionSettings = {
  ...DEFAULT_RETENTION,
  finalMs: 30 * MINUTE_MS,
  keptMs: { ...DEFAULT_RETENTION.keptMs, tombstones: 90 * MINUTE_MS },
};
const BY_HAND = { retention: SHORT, purgePeriodMs: NEVER_MS };

/** A notification that ended long ago and was purged since. */
async function aTombstone(): Promise<Driven> {
  const driver = await drive({ settings: BY_HAND });
  await driver.request(aRequest());
  await driver.time.advance(31 * MINUTE_MS);
  expect(await purged(driver)).toMatchObject({ final: 1, tombstones: 0 });
  return driver;
}

async function purged(driver: Driven) {
  const pass = driver.processor.purge();
  await driver.time.advance(1_000);
  return pass;
}

async function produced(
  driver: Driven,
  record: Parameters<Awaited<ReturnType<Driven['log']['producer']>>['send']>[0],
) {
  const producer = await driver.log.producer();
  await settled(driver, producer.send(record));
}

const contentOf = async (driver: Driven) =>
  (await driver.store.load([anId()])).found.get(anId())?.content ?? null;

describe('a purged notification', () => {
  test('is shrunk, counted, and takes the same request as a repeat', async () => {
    const driver = await aTombstone();
    const row = await stored(driver, anId());
    expect(await contentOf(driver)).toBeNull();
    expect(driver.counted('pin_purged_total', { kind: 'final' })).toBe(1);
    await driver.request(aRequest());
    await driver.time.advance(120_000);
    expect(driver.mail.messages).toHaveLength(1);
    expect(driver.dispatched()).toHaveLength(1);
    expect(driver.deadLetters()).toEqual([]);
    expect(await stored(driver, anId())).toEqual(row);
  });

  test('takes another payload, or another tenant’s, under its id as a conflict', async () => {
    const driver = await aTombstone();
    await driver.request(aRequest({ recipient: 'eve@example.com' }));
    await driver.request(aRequest({ tenantId: 'tenant-2' }));
    expect(driver.deadLetters().map(reasonOf)).toEqual(['payload-conflict', 'payload-conflict']);
    expect(driver.mail.messages).toHaveLength(1);
  });

  test('ignores webhooks and refuses commands, and neither writes it', async () => {
    const driver = await aTombstone();
    const row = await stored(driver, anId());
    const { topics, codec } = driver;
    await produced(driver, providerWebhookRecord(topics, codec, aWebhook({ provider: 'mail' }), null));
    for (const kind of ['redrive', 'cancel', 'mark-read'] as const) {
      const command = aCommand({ kind, commandId: anId(kind.length) });
      await produced(driver, notificationCommandRecord(topics, codec, command, null));
    }
    expect(driver.counted('pin_webhooks_total', { result: 'ignored-purged' })).toBe(1);
    expect(driver.counted('pin_commands_total', { result: 'refused-purged' })).toBe(3);
    expect(await stored(driver, anId())).toEqual(row);
    expect(driver.dispatched()).toHaveLength(1);
  });

  test('is gone in the end, and its tombstone long outlives its request', async () => {
    const driver = await aTombstone();
    await driver.time.advance(89 * MINUTE_MS);
    expect(await purged(driver)).toMatchObject({ tombstones: 0 });
    await driver.time.advance(2 * MINUTE_MS);
    expect(await purged(driver)).toMatchObject({ final: 0, tombstones: 1 });
    expect(await driver.row(anId())).toBeNull();
  });
});

test('the answer of a call that outlived its row ends in quarantine, and nothing is published twice', async () => {
  const driver = await drive({ settings: BY_HAND, script: { steps: [WAITS] } });
  await settled(driver, driver.processor.stop());
  const zombie = mortal(driver.ports);
  await startOn(driver, 'zombie', zombie.ports);
  await driver.request(aRequest());
  await settled(driver, zombie.cutOff());
  const heir = await settled(driver, driver.startAnother('heir'));
  await driver.time.advance(31 * MINUTE_MS);
  expect(await stored(driver, anId())).toMatchObject({ status: 'Sent' });
  const pass = heir.purge();
  await driver.time.advance(1_000);
  expect(await pass).toMatchObject({ final: 1 });
  const row = await stored(driver, anId());
  driver.mail.release();
  await driver.time.advance(60_000);
  expect(driver.counted('pin_quarantined_total', { reason: 'late-answer' })).toBe(1);
  expect(await stored(driver, anId())).toEqual(row);
  expect(driver.dispatched()).toHaveLength(1);
});

test('one process purges at a time, and a stop ends its pass between two batches', async () => {
  const driver = await drive({ settings: BY_HAND });
  for (let n = 1; n <= 3; n += 1) await driver.request(aRequest({ notificationId: anId(n) }));
  await driver.time.advance(31 * MINUTE_MS);
  const other = await settled(driver, driver.startAnother('other'));
  const passes = Promise.all([driver.processor.purge(), other.purge()]);
  await driver.time.advance(10_000);
  const results = await passes;
  expect(results.filter((one) => one === null)).toHaveLength(1);
  expect(results.find((one) => one !== null)).toMatchObject({ final: 3 });
});

test('it happens by itself, every period', async () => {
  const driver = await drive({ settings: { retention: SHORT, purgePeriodMs: MINUTE_MS } });
  await driver.request(aRequest());
  await driver.time.advance(29 * MINUTE_MS);
  expect(await contentOf(driver)).not.toBeNull();
  await driver.time.advance(3 * MINUTE_MS);
  expect(await contentOf(driver)).toBeNull();
});
