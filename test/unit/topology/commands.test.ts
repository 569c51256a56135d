// Commands as a keyed stream, on the in-memory log and store.
import { describe, expect, test } from 'vitest';
import type { NotificationCommand } from '../../../src/domain/notification-command.ts';
import { notificationCommandRecord } from '../../../src/streams/notification-command.ts';
import { aCommand, anId, aRequest } from '../../support/a-notification.ts';
import {
  type Driven,
  drive,
  everythingIsDone,
  LOST,
  outcomes,
  produceRaw,
  RETRIED,
  reasonOf,
  settled,
  stored,
  WAITS,
} from './driving.ts';

let issued = 0;

async function ask(driver: Driven, over: Partial<NotificationCommand> = {}): Promise<void> {
  issued += 1;
  const commandId = `33333333-3333-4333-8333-${String(issued).padStart(12, '0')}`;
  const producer = await driver.log.producer();
  const record = notificationCommandRecord(
    driver.topics,
    driver.codec,
    aCommand({ commandId, ...over }),
    null,
  );
  await settled(driver, producer.send(record));
}

const answered = (driver: Driven, kind: string, result: string) =>
  driver.counted('pin_commands_total', { kind, result });

describe('cancel', () => {
  test('of a waiting notification ends it, told once, and it is not sent again', async () => {
    const driver = await drive({ script: { steps: [RETRIED] } });
    await driver.request(aRequest());
    await ask(driver);
    await driver.time.advance(3_600_000);
    expect(driver.mail.calls).toHaveLength(1);
    expect(await outcomes(driver)).toMatchObject([
      { status: 'Failed', reason: 'cancelled', errorCode: 'NTF_CANCELLED', outcomeSeq: 1 },
    ]);
    expect(await stored(driver, anId())).toMatchObject({
      final: 'cancelled',
      publishedSeq: 1,
      wakeAtMs: null,
    });
  });

  test('repeated does nothing', async () => {
    const driver = await drive({ script: { steps: [RETRIED] } });
    await driver.request(aRequest());
    await ask(driver, { commandId: aCommand().commandId });
    const { version } = await stored(driver, anId());
    await ask(driver, { commandId: aCommand().commandId });
    expect(answered(driver, 'cancel', 'repeated')).toBe(1);
    await driver.time.advance(2_000);
    expect((await stored(driver, anId())).version).toBe(version);
  });

  test('before its request keeps it from being sent, and tells its outcome when it comes', async () => {
    const driver = await drive();
    await ask(driver);
    expect(await outcomes(driver)).toEqual([]);
    await driver.request(aRequest());
    await driver.time.advance(2_000);
    await driver.request(aRequest());
    expect(driver.mail.calls).toEqual([]);
    expect(driver.deadLetters()).toEqual([]);
    expect(await outcomes(driver)).toMatchObject([{ reason: 'cancelled', outcomeSeq: 1, channel: 'email' }]);
    expect(await stored(driver, anId())).toMatchObject({
      final: 'cancelled',
      channel: 'email',
      publishedSeq: 1,
    });
    await driver.request(aRequest({ recipient: 'eve@example.com' }));
    expect(driver.deadLetters().map(reasonOf)).toEqual(['payload-conflict']);
  });

  test('before the request of another tenant binds nobody', async () => {
    const driver = await drive();
    await ask(driver, { tenantId: 'tenant-2' });
    await driver.request(aRequest());
    await driver.time.advance(2_000);
    expect(driver.mail.messages).toHaveLength(1);
    expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', tenantId: 'tenant-1', outcomeSeq: 1 }]);
    expect(await stored(driver, anId())).toMatchObject({ tenantId: 'tenant-1', commandIds: [] });
  });

  test('of another tenant’s notification is refused as if there were none', async () => {
    const driver = await drive({ script: { steps: [RETRIED] } });
    await driver.request(aRequest());
    const before = await stored(driver, anId());
    await ask(driver, { tenantId: null });
    expect(answered(driver, 'cancel', 'refused-unknown-id')).toBe(1);
    expect(await stored(driver, anId())).toEqual(before);
  });

  test('while a call is in flight waits its turn, and is too late when the call was accepted', async () => {
    const driver = await drive({ script: { steps: [WAITS] } });
    await driver.request(aRequest());
    await ask(driver);
    driver.mail.release();
    await driver.time.advance(2_000);
    expect(await stored(driver, anId())).toMatchObject({ final: 'accepted' });
    expect(answered(driver, 'cancel', 'refused-final')).toBe(1);
  });
});

describe('redrive', () => {
  test('of an exhausted notification sends it in a new cycle with a new key', async () => {
    const driver = await drive({ script: { steps: [RETRIED] }, config: { maxAttempts: 1 } });
    await driver.request(aRequest());
    await driver.time.advance(2_000);
    await ask(driver, { kind: 'redrive', expectedCycle: 0 });
    await driver.time.advance(5_000);
    expect(driver.mail.calls.map(({ call }) => [call.cycle, call.attempt])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(await outcomes(driver)).toMatchObject([
      { status: 'Failed', reason: 'exhausted', outcomeSeq: 1 },
      { status: 'Sent', outcomeSeq: 2, supersedes: 1, cycle: 1, attempts: 1 },
    ]);
    await ask(driver, { kind: 'redrive', expectedCycle: 0 });
    expect(answered(driver, 'redrive', 'refused-cycle')).toBe(1);
  });

  test('is refused while it may have arrived, unless it is forced', async () => {
    const driver = await drive({ facts: { capability: 'none' }, script: { steps: [LOST] } });
    await driver.request(aRequest());
    await driver.time.advance(1_000_000);
    expect(await stored(driver, anId())).toMatchObject({ final: 'unknown-outcome' });
    await ask(driver, { kind: 'redrive' });
    await driver.time.advance(5_000);
    expect(driver.mail.calls).toHaveLength(1);
    await ask(driver, { kind: 'redrive', isForced: true });
    await driver.time.advance(5_000);
    expect(driver.mail.calls).toHaveLength(2);
    expect(answered(driver, 'redrive', 'refused-unknown')).toBe(1);
    expect(driver.counted('pin_possible_duplicates_total')).toBe(1);
  });
});

describe('other commands', () => {
  test('release sends what was held without waiting for the channel’s pace', async () => {
    const driver = await drive({ config: { isEnabled: false } });
    await driver.request(aRequest());
    const email = (await driver.store.channels()).find(({ channel }) => channel === 'email');
    await ask(driver, { kind: 'release' });
    expect(answered(driver, 'release', 'refused-hold-stands')).toBe(1);
    if (email !== undefined)
      await driver.store.saveChannel({ ...email, isEnabled: true, releasePerSecond: 0.001 });
    await driver.time.advance(2_500);
    await ask(driver, { kind: 'release' });
    await driver.time.advance(3_000);
    expect(driver.mail.messages).toHaveLength(1);
  });

  test('mark-read and close are written into the row and its timeline, and tell nothing', async () => {
    const driver = await drive({ script: { steps: [RETRIED] }, config: { maxAttempts: 1 } });
    await driver.request(aRequest({ inApp: { userId: 'u', title: 't', body: 'b' } }));
    await driver.time.advance(2_000);
    await ask(driver, { kind: 'mark-read' });
    await ask(driver, { kind: 'close', reason: 'known' });
    const row = await stored(driver, anId());
    expect(row.readAtMs).not.toBeNull();
    expect(row.closedAtMs).not.toBeNull();
    expect(row.trail).toMatch(/command-mark-read result=done .*\n.*command-close result=done/);
    expect(await outcomes(driver)).toHaveLength(1);
  });

  test('for an unknown id are refused and leave nothing', async () => {
    const driver = await drive();
    for (const kind of ['mark-read', 'redrive', 'release', 'close'] as const) await ask(driver, { kind });
    await ask(driver, { kind: 'cancel', expectedCycle: 1 });
    expect(driver.counted('pin_commands_total', { result: 'refused-unknown-id' })).toBe(5);
    expect(await driver.row(anId())).toBeNull();
  });

  test('that met nothing do nothing when they are read again after the request came', async () => {
    const driver = await drive({ script: { steps: [RETRIED] }, config: { maxAttempts: 1 } });
    const commandId = aCommand().commandId;
    await ask(driver, { kind: 'redrive', commandId });
    await driver.request(aRequest());
    await driver.time.advance(2_000);
    await ask(driver, { kind: 'redrive', commandId });
    await driver.time.advance(5_000);
    expect(driver.mail.calls).toHaveLength(1);
    expect(answered(driver, 'redrive', 'repeated')).toBe(1);
  });

  test('that cannot be read end in quarantine', async () => {
    const driver = await drive();
    await produceRaw(driver, { topic: driver.topics.commands, key: anId(), value: new Uint8Array([9]) });
    await driver.time.advance(2_000);
    expect(driver.counted('pin_quarantined_total')).toBe(1);
    expect(everythingIsDone(driver)).toBe(true);
  });
});
