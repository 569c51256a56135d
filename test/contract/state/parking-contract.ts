// Webhooks that name nothing known rest in the store until their notification is known, or until they are too old.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ParkedWebhook } from '../../../src/domain/provider-webhook.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import { aChange, anId, anInsertion, aWrite } from './state-builders.ts';
import type { StoreWorld } from './store-world.ts';

const KEPT_MS = 3_600_000;

function aParked(parts: Partial<ParkedWebhook> = {}): ParkedWebhook {
  return {
    eventId: randomUUID(),
    notificationId: null,
    provider: 'sms-a',
    providerMessageId: 'm "1" 🚀',
    cycle: null,
    attempt: null,
    verdict: 'delivered',
    errorCode: null,
    errorClass: null,
    occurredAtMs: 1_790_000_000_001,
    receivedAtMs: 1_790_000_000_002,
    ...parts,
  };
}

const MESSAGE = { provider: 'sms-a', messageId: 'm "1" 🚀' };

export function parkingContract(world: StoreWorld): void {
  const accepted = async (messages = [MESSAGE]) => {
    const row = await world.inserted(anInsertion());
    const write = { ...aWrite(row.version, aChange({ ...row })), messages };
    const answer = await world.store().write(write);
    invariant(answer.kind === 'written', 'written');
    return answer.row;
  };

  describe('parked webhooks', () => {
    test('are kept once, whole, and found by their message in the order they came', async () => {
      const [first, second] = [aParked(), aParked({ verdict: 'complained' })];
      await world.store().park(first, KEPT_MS);
      await world.store().park(second, KEPT_MS);
      await world.store().park({ ...first, verdict: 'failed' }, KEPT_MS);
      expect(new Set(await world.store().parkedFor(MESSAGE, 10))).toEqual(new Set([first, second]));
      expect(await world.store().parkedFor(MESSAGE, 1)).toHaveLength(1);
      expect(await world.store().parkedFor({ ...MESSAGE, provider: 'sms-b' }, 10)).toEqual([]);
      expect(await world.store().parkedCount()).toBe(2);
    });

    test('are gone when they were taken out', async () => {
      const webhook = aParked();
      await world.store().park(webhook, KEPT_MS);
      await world.store().unpark([webhook.eventId, randomUUID()]);
      await world.store().unpark([]);
      expect(await world.store().parkedCount()).toBe(0);
    });

    test('can be joined as soon as a committed change names their message', async () => {
      const webhook = aParked();
      await world.store().park(webhook, KEPT_MS);
      expect(await world.store().joinable(10)).toEqual([]);
      expect(await world.store().notificationOf(MESSAGE)).toBeNull();
      const row = await accepted();
      expect(await world.store().notificationOf(MESSAGE)).toBe(row.id);
      expect(await world.store().notificationOf({ ...MESSAGE, provider: 'sms-b' })).toBeNull();
      expect(await world.store().joinable(10)).toEqual([{ ...webhook, notificationId: row.id }]);
    });

    test('of a notification without a row can be joined when the row is there', async () => {
      const id = anId();
      const webhook = aParked({ notificationId: id, providerMessageId: null });
      await world.store().park(webhook, KEPT_MS);
      expect(await world.store().joinable(10)).toEqual([]);
      await world.inserted(anInsertion({ id }));
      expect(await world.store().joinable(10)).toEqual([webhook]);
    });

    test('are not joined by a change that met another version', async () => {
      const row = await world.inserted(anInsertion());
      const answer = await world.store().write({ ...aWrite(9, aChange({ ...row })), messages: [MESSAGE] });
      expect(answer.kind).toBe('stale');
      expect(await world.store().notificationOf(MESSAGE)).toBeNull();
    });

    test('belong to the notification that named the message last', async () => {
      await accepted();
      const newer = await accepted([MESSAGE, { provider: 'sms-a', messageId: 'other' }]);
      expect(await world.store().notificationOf(MESSAGE)).toBe(newer.id);
    });

    test('are put into quarantine when their time is over, and counted by provider', async () => {
      await world.store().park(aParked(), 0);
      await world.store().park(aParked({ provider: 'sms-b' }), 0);
      await world.store().park(aParked({ provider: 'sms-b' }), 0);
      await world.store().park(aParked({ provider: 'sms-b' }), KEPT_MS);
      const dead = await world.store().expireParked(500);
      expect(new Set(dead)).toEqual(
        new Set([
          { provider: 'sms-a', count: 1 },
          { provider: 'sms-b', count: 2 },
        ]),
      );
      expect(await world.store().expireParked(500)).toEqual([]);
      expect(await world.store().parkedCount()).toBe(1);
      expect((await world.quarantined()).map(({ reason }) => reason)).toEqual(
        Array.from({ length: 3 }, () => 'webhook-unmatched'),
      );
    });
  });

  test('a command that met no row is remembered once and for all', async () => {
    const [refused, other] = [randomUUID(), randomUUID()];
    await world.store().refuseCommand(refused, anId());
    await world.store().refuseCommand(refused, anId());
    expect(await world.store().wasRefused(refused)).toBe(true);
    expect(await world.store().wasRefused(other)).toBe(false);
  });

  describe('a row that keeps the place of a request', () => {
    const keeper = () =>
      anInsertion(
        { channel: 'none' as never, status: 'Failed', final: 'cancelled' },
        { wake: { kind: 'none' } },
      );

    test('has no content, and is there for the load', async () => {
      const insertion = { ...keeper(), content: null };
      const row = await world.inserted(insertion);
      const stored = (await world.store().load([row.id])).found.get(row.id);
      expect(stored).toMatchObject({ row, content: null, payloadHash: '' });
    });

    test('gives it to the request with everything that is set at birth', async () => {
      const row = await world.inserted({ ...keeper(), content: null });
      const { content, change } = anInsertion({ id: row.id, tenantId: 'tenant-2', channel: 'sms' });
      const answer = await world.store().write({ ...aWrite(row.version, change), content });
      invariant(answer.kind === 'written', 'written');
      expect(answer.row).toMatchObject({ tenantId: 'tenant-2', channel: 'sms', final: null, version: 2 });
      const stored = (await world.store().load([row.id])).found.get(row.id);
      expect(stored).toMatchObject({ row: answer.row, content, payloadHash: content.payloadHash });
    });

    test('keeps it when another version is there', async () => {
      const row = await world.inserted({ ...keeper(), content: null });
      const { content, change } = anInsertion({ id: row.id, channel: 'sms' });
      const answer = await world.store().write({ ...aWrite(row.version + 1, change), content });
      expect(answer).toEqual({ kind: 'stale' });
      expect((await world.store().load([row.id])).found.get(row.id)?.content).toBeNull();
    });

    test('must be final', async () => {
      const answer = await world
        .store()
        .insert({ ...anInsertion({ channel: 'none' as never }), content: null });
      expect(answer.kind).toBe('quarantined');
    });
  });

  test('a change leaves what is set at birth as it is', async () => {
    const row = await world.inserted(anInsertion());
    await world
      .store()
      .write(aWrite(row.version, aChange({ ...row, tenantId: 'x', channel: 'push', notAfterMs: 5 })));
    const { tenantId, channel, notAfterMs } = row;
    expect(await world.loaded(row.id)).toMatchObject({ tenantId, channel, notAfterMs });
  });
}
