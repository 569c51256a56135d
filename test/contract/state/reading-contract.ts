// Loads, locks and the small tables.
import { describe, expect, test } from 'vitest';
import type { QuarantinedInput } from '../../../src/state/store.ts';
import { aChange, anId, anInsertion, aWrite, someIds } from './state-builders.ts';
import type { StoreWorld } from './store-world.ts';

export function readingContract(world: StoreWorld): void {
  describe('load', () => {
    test('gives what is there, in one answer with the clock', async () => {
      const rows = await Promise.all(someIds(300).map((id) => world.inserted(anInsertion({ id }))));
      const { found, nowMs } = await world.store().load([...rows.map(({ id }) => id), anId()]);
      expect(found.size).toBe(300);
      expect(rows.every((row) => found.get(row.id)?.row.createdAtMs === row.createdAtMs)).toBe(true);
      expect(nowMs).toBeGreaterThanOrEqual(Math.max(...rows.map(({ createdAtMs }) => createdAtMs)));
      expect(Number.isInteger(nowMs)).toBe(true);
    });

    test('answers many callers at once, each with its own keys', async () => {
      const rows = await Promise.all(someIds(900).map((id) => world.inserted(anInsertion({ id }))));
      const answers = await Promise.all(rows.map(({ id }) => world.store().load([id, anId()])));
      for (const [index, { found }] of answers.entries())
        expect([...found.keys()]).toEqual([rows[index]?.id]);
    });
  });

  describe('locks', () => {
    test('are held by one store at a time and are free again after the pass, even one that failed', async () => {
      const other = await world.another();
      const within = await world.store().underLock('sweep', async (signal) => {
        expect(signal.aborted).toBe(false);
        expect(await world.store().underLock('sweep', () => Promise.resolve('twice'))).toBeNull();
        expect(await other.underLock('sweep', () => Promise.resolve('other'))).toBeNull();
        return other.underLock('another', () => Promise.resolve('free'));
      });
      expect(within).toBe('free');
      const failed = world.store().underLock('sweep', () => Promise.reject(new RangeError('broken pass')));
      await expect(failed).rejects.toThrow('broken pass');
      expect(await other.underLock('sweep', () => Promise.resolve('mine'))).toBe('mine');
      await other.close();
    });
  });

  describe('small tables', () => {
    test('channel configurations come back as they were saved, the last one winning', async () => {
      expect(await world.store().channels()).toEqual([]);
      const config = {
        channel: 'telegram',
        isEnabled: true,
        providerKey: null,
        maxAttempts: 3,
        backoff: { kind: 'fixed', baseMs: 1_500, capMs: 1_500, jitter: 0.25 },
        onUnknown: 'resend',
        holdUntilMs: 7,
        releasePerSecond: 0.5,
      } as const;
      await world.store().saveChannel(config);
      await world.store().saveChannel({ ...config, channel: 'sms' });
      await world.store().saveChannel({ ...config, isEnabled: false, providerKey: 'bot' });
      expect(new Set(await world.store().channels())).toEqual(
        new Set([
          { ...config, channel: 'sms' },
          { ...config, isEnabled: false, providerKey: 'bot' },
        ]),
      );
    });

    test('quarantine keeps an input once, with its bytes', async () => {
      const input: QuarantinedInput = {
        reason: 'undecodable',
        detail: 'magic byte 7',
        topic: 'webhooks',
        partition: 3,
        offset: '9007199254740993',
        key: null,
        value: Buffer.from([0, 255, 1]),
      };
      await world.store().quarantine(input);
      await world.store().quarantine(input);
      await world.store().quarantine({ ...input, offset: '2', key: Buffer.from('k'), value: null });
      expect(await world.quarantined()).toEqual([
        { reason: 'undecodable', notificationId: null, offset: '9007199254740993' },
        { reason: 'undecodable', notificationId: null, offset: '2' },
      ]);
    });

    test('the partition count is what was seen first', async () => {
      expect(await world.store().storedPartitions()).toBeNull();
      expect(await world.store().rememberPartitions(12)).toBe(12);
      expect(await world.store().rememberPartitions(24)).toBe(12);
      expect(await world.store().storedPartitions()).toBe(12);
    });

    test('the last finished sweep is remembered', async () => {
      expect(await world.store().lastSweepMs()).toBeNull();
      await world.store().sweepFinished(1_800_000_000_001);
      await world.store().sweepFinished(1_800_000_060_002);
      expect(await world.store().lastSweepMs()).toBe(1_800_000_060_002);
    });
  });

  test('a closed store refuses everything', async () => {
    await world.store().close();
    const closed = { code: 'STATE_CLOSED' };
    await expect(world.store().insert(anInsertion())).rejects.toMatchObject(closed);
    await expect(world.store().write(aWrite(1, aChange()))).rejects.toMatchObject(closed);
    await expect(world.store().load([anId()])).rejects.toMatchObject(closed);
    await expect(world.store().channels()).rejects.toMatchObject(closed);
  });
}
