// What operators set: every process reads the same, whoever set it.
import { describe, expect, test } from 'vitest';
import { anInsertion, someIds } from './state-builders.ts';
import type { StoreWorld } from './store-world.ts';

export function controlContract(world: StoreWorld): void {
  describe('pauses', () => {
    test('begin, change their reason, and end once, each by its key', async () => {
      const store = world.store();
      const before = (await store.load([])).nowMs;
      await store.savePause({ key: 'tenant:acme', reason: 'storm', by: 'ada' });
      await store.savePause({ key: 'tenant-none', reason: 'ours', by: 'bob' });
      const [ours, storm] = await store.pauses();
      expect(ours).toMatchObject({ key: 'tenant-none', reason: 'ours', by: 'bob' });
      expect(storm?.sinceMs).toBeGreaterThanOrEqual(before);
      await store.savePause({ key: 'tenant:acme', reason: 'still a storm', by: 'eve' });
      const other = await world.another();
      expect((await other.controls()).pauses).toEqual([
        ours,
        { ...storm, reason: 'still a storm', by: 'eve' },
      ]);
      expect(await other.endPause('tenant:acme')).toBe(true);
      expect(await store.endPause('tenant:acme')).toBe(false);
      expect(await store.endPause('channel:sms')).toBe(false);
      expect(await store.pauses()).toEqual([ours]);
    });

    test('hold rows of their own: those of one are paged and counted without those of the others', async () => {
      const ids = someIds(12);
      for (const [index, id] of ids.entries()) {
        const hold = index < 7 ? 'paused tenant:acme' : 'paused template:welcome';
        await world.inserted(anInsertion({ id, channel: 'sms', hold }, { wake: { kind: 'none' } }));
      }
      const off = await world.inserted(
        anInsertion({ channel: 'sms', hold: 'channel-disabled' }, { wake: { kind: 'none' } }),
      );
      const question = { channel: 'sms', hold: 'paused tenant:acme', limit: 5 } as const;
      const first = await world.store().held({ ...question, after: null });
      expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 5));
      expect(first[0]).toEqual({ id: ids[0], channel: 'sms', hold: 'paused tenant:acme', wakeSeq: 1 });
      const last = await world.store().held({ ...question, after: ids[4] ?? null });
      expect(last.map(({ id }) => id)).toEqual(ids.slice(5, 7));
      const none = await world.store().held({ ...question, hold: 'paused tenant:nobody', after: null });
      expect(none).toEqual([]);
      const others = await world.store().held({ ...question, hold: 'channel-disabled', after: null });
      expect(others.map(({ id }) => id)).toEqual([off.id]);
      expect(new Set(await world.store().heldCounts())).toEqual(
        new Set([
          { channel: 'sms', hold: 'paused tenant:acme', count: 7 },
          { channel: 'sms', hold: 'paused template:welcome', count: 5 },
          { channel: 'sms', hold: 'channel-disabled', count: 1 },
        ]),
      );
    });

    test('are read back with the row, and leave it with the hold', async () => {
      const row = await world.inserted(
        anInsertion({ hold: 'paused tenant:two words' }, { wake: { kind: 'none' } }),
      );
      expect(row.hold).toBe('paused tenant:two words');
      expect(await world.loaded(row.id)).toEqual(row);
      const wake = { kind: 'after', waitMs: 0, inLog: true } as const;
      const over = await world.written(row, { hold: 'paused template:welcome' }, { wake: { kind: 'none' } });
      expect((await world.loaded(row.id))?.hold).toBe('paused template:welcome');
      await world.written(over, { hold: null }, { wake });
      expect((await world.loaded(row.id))?.hold).toBeNull();
      expect(await world.store().heldCounts()).toEqual([]);
    });
  });

  describe('gates', () => {
    test('keep the last word about each provider, and count the words', async () => {
      const store = world.store();
      const { nowMs } = await store.load([]);
      const said = { providerKey: 'mail', reason: 'storm', by: 'ada' };
      await store.saveGate({ ...said, state: 'closed', forMs: 600_000 });
      await store.saveGate({ ...said, providerKey: 'sms', state: 'closed', forMs: null });
      const [mail, sms] = await store.gates();
      expect(mail).toMatchObject({ ...said, state: 'closed', change: 1 });
      expect(mail?.changedAtMs).toBeGreaterThanOrEqual(nowMs);
      expect((mail?.untilMs ?? 0) - (mail?.changedAtMs ?? 0)).toBe(600_000);
      expect(sms).toMatchObject({ providerKey: 'sms', state: 'closed', untilMs: null, change: 1 });
      await store.saveGate({ ...said, state: 'open', reason: 'over', by: 'bob', forMs: null });
      const { gates } = await (await world.another()).controls();
      expect(gates[0]).toMatchObject({ state: 'open', untilMs: null, reason: 'over', by: 'bob', change: 2 });
      expect(gates[1]).toEqual(sms);
    });

    test('are said by each process, the last time counts', async () => {
      const [store, other] = [world.store(), await world.another()];
      const open = { providerKey: 'mail', state: 'open', untilMs: null, why: null };
      const closed = { ...open, state: 'closed', untilMs: 1_800_000_000_123, why: 'failing' };
      await store.sayGates('p2', [open, { ...open, providerKey: 'sms' }]);
      await store.sayGates('p1', [open]);
      await other.sayGates('p1', [closed]);
      await other.sayGates('p3', []);
      const { nowMs } = await store.load([]);
      const seen = await store.seenGates();
      expect(seen.map(({ seenAtMs, ...gate }) => gate)).toEqual([
        { processId: 'p1', ...closed },
        { processId: 'p2', ...open },
        { processId: 'p2', ...open, providerKey: 'sms' },
      ]);
      for (const { seenAtMs } of seen) expect(Math.abs(nowMs - seenAtMs)).toBeLessThan(30_000);
    });
  });
}
