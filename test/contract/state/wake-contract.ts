// Wake-ups are times of the store clock, and whoever sweeps finds all of them.
import { describe, expect, test } from 'vitest';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import { aClaim, anId, anInsertion, anOutcome, type aState, someIds } from './state-builders.ts';
import type { StoreWorld } from './store-world.ts';

export function wakeContract(world: StoreWorld): void {
  describe('wake-ups', () => {
    test('are waits counted from the commit by the store clock, in whole milliseconds, never early', async () => {
      const row = await world.inserted(
        anInsertion({}, { wake: { kind: 'after', waitMs: 1_000.25, inLog: true } }),
      );
      expect(Number.isInteger(row.wakeAtMs)).toBe(true);
      // Created by the same reading of the clock, rounded down.
      const waitMs = (row.wakeAtMs ?? 0) - row.createdAtMs;
      expect(waitMs).toBeGreaterThanOrEqual(1_001);
      expect(waitMs).toBeLessThanOrEqual(1_002);
    });

    test('at a named time are taken as they are', async () => {
      const atMs = Date.UTC(2031, 5, 1, 12, 30, 15, 7);
      const row = await world.inserted(
        anInsertion({}, { wake: { kind: 'at', atMs, inLog: false }, isNextAttempt: true }),
      );
      expect(row).toMatchObject({ wakeAtMs: atMs, nextAttemptAtMs: atMs, wakeInLog: false, wakeSeq: 1 });
    });

    test('change wake_seq only when the change is not keep', async () => {
      const row = await world.inserted(anInsertion({}, { isNextAttempt: true }));
      const kept = await world.written(row, {}, { wake: { kind: 'keep' } });
      expect(kept).toMatchObject({ wakeSeq: 1, wakeAtMs: row.wakeAtMs, wakeInLog: true });
      const moved = await world.written(kept, {}, { wake: { kind: 'at', atMs: 1e12, inLog: false } });
      expect(moved).toMatchObject({ wakeSeq: 2, wakeAtMs: 1e12, wakeInLog: false });
      expect(moved.nextAttemptAtMs).toBe(row.wakeAtMs);
      const held = await world.written(moved, { hold: 'paused tenant:tenant-1' }, { wake: { kind: 'none' } });
      expect(held).toMatchObject({ wakeSeq: 3, wakeAtMs: null, wakeInLog: false });
    });

    test('a held row without a wake-up starts at wake_seq 0 or 1, by what was said', async () => {
      const kept = await world.inserted(
        anInsertion({ hold: 'paused tenant:tenant-1' }, { wake: { kind: 'keep' } }),
      );
      expect(kept).toMatchObject({ wakeSeq: 0, wakeAtMs: null });
      const none = await world.inserted(
        anInsertion({ hold: 'paused tenant:tenant-1' }, { wake: { kind: 'none' } }),
      );
      expect(none).toMatchObject({ wakeSeq: 1, wakeAtMs: null });
    });

    test('enter the log only while wake_seq is the one that was produced', async () => {
      const wake = { kind: 'after', waitMs: 5, inLog: false } as const;
      const row = await world.inserted(anInsertion({}, { wake }));
      const moved = await world.written(await world.inserted(anInsertion({}, { wake })), {}, { wake });
      await world.store().wakeEnteredLog([
        { id: row.id, wakeSeq: 1 },
        { id: moved.id, wakeSeq: 1 },
        { id: anId(), wakeSeq: 1 },
      ]);
      await world.store().wakeEnteredLog([]);
      expect(await world.loaded(row.id)).toMatchObject({ wakeInLog: true, version: 1 });
      expect(await world.loaded(moved.id)).toMatchObject({ wakeInLog: false });
    });
  });

  describe('overdue', () => {
    const due = (parts: Parameters<typeof aState>[0], atMs: number) =>
      world.inserted(anInsertion(parts, { wake: { kind: 'at', atMs, inLog: false } }));

    test('pages by id through rows that owe a wake-up, those soon due included when asked', async () => {
      const { nowMs } = await world.store().load([]);
      const ids = someIds(25);
      for (const [index, id] of ids.entries()) await due({ id }, nowMs - 1_000 * index);
      const soon = await due({}, nowMs + 60_000);
      await due({}, nowMs + 600_000);
      await world.inserted(anInsertion({ hold: 'paused tenant:tenant-1' }, { wake: { kind: 'none' } }));
      const paged: NotificationId[] = [];
      for (let after: NotificationId | null = null; ; after = paged.at(-1) ?? null) {
        const { rows } = await world.store().overdue({ after, limit: 10, aheadMs: 0 });
        if (rows.length === 0) break;
        paged.push(...rows.map(({ id }) => id));
      }
      expect(paged).toEqual(ids);
      const page = await world.store().overdue({ after: null, limit: 500, aheadMs: 120_000 });
      expect(page.rows.map(({ id }) => id)).toEqual([...ids, soon.id].sort());
      expect(page.rows.find(({ id }) => id === soon.id)).toEqual({
        id: soon.id,
        wakeAtMs: nowMs + 60_000,
        wakeSeq: 1,
        wakeInLog: false,
      });
      expect(page.nowMs).toBeGreaterThanOrEqual(nowMs);
    });

    test('never names a lease that still runs or an outcome whose publishing is not late, however far it looks ahead', async () => {
      const { nowMs } = await world.store().load([]);
      const ahead = { kind: 'at', atMs: nowMs + 30_000, inLog: false } as const;
      const resting = await world.inserted(anInsertion({}, { wake: ahead }));
      await world.inserted(anInsertion({ claim: aClaim(), attempts: 1 }, { wake: ahead }));
      await world.inserted(
        anInsertion(
          { status: 'Sent', final: 'accepted', outcome: anOutcome(), outcomeSeq: 1 },
          { wake: ahead },
        ),
      );
      await world.inserted(anInsertion({}, { wake: { ...ahead, inLog: true } }));
      const page = await world.store().overdue({ after: null, limit: 500, aheadMs: 120_000 });
      expect(page.rows.map(({ id }) => id)).toEqual([resting.id]);
    });
  });

  describe('held', () => {
    test('pages by id through the rows of one channel and reason, and counts all', async () => {
      const ids = someIds(12);
      for (const id of ids) {
        await world.inserted(
          anInsertion({ id, channel: 'sms', hold: 'channel-disabled' }, { wake: { kind: 'none' } }),
        );
      }
      await world.inserted(anInsertion({ channel: 'sms', hold: 'paused tenant:tenant-1' }));
      await world.inserted(anInsertion({ channel: 'push', hold: 'channel-disabled' }));
      await world.inserted(anInsertion());
      const question = { channel: 'sms', hold: 'channel-disabled', limit: 5 } as const;
      const first = await world.store().held({ ...question, after: null });
      expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 5));
      expect(first[0]).toEqual({ id: ids[0], channel: 'sms', hold: 'channel-disabled', wakeSeq: 1 });
      const last = await world.store().held({ ...question, after: ids[9] ?? null });
      expect(last.map(({ id }) => id)).toEqual(ids.slice(10));
      expect(new Set(await world.store().heldCounts())).toEqual(
        new Set([
          { channel: 'sms', hold: 'channel-disabled', count: 12 },
          { channel: 'sms', hold: 'paused tenant:tenant-1', count: 1 },
          { channel: 'push', hold: 'channel-disabled', count: 1 },
        ]),
      );
    });
  });
}
