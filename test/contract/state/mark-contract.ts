// A mark says that the log has an outcome; it pays the debt and changes nothing else.
import { describe, expect, test } from 'vitest';
import { anId } from './state-builders.ts';
import type { StoreWorld } from './store-world.ts';

export function markContract(world: StoreWorld): void {
  describe('marks', () => {
    test('pay the debt of a final row and take its wake-up, without a new version', async () => {
      const row = await world.finalRow();
      world.store().mark(row.id, 1);
      await world.store().drainMarks();
      expect(await world.loaded(row.id)).toEqual({
        ...row,
        publishedSeq: 1,
        wakeAtMs: null,
        wakeInLog: false,
      });
    });

    test('of an older outcome leave the wake-up of the newer one', async () => {
      const row = await world.finalRow({ outcomeSeq: 2, publishedSeq: 0 });
      world.store().mark(row.id, 1);
      await world.store().drainMarks();
      expect(await world.loaded(row.id)).toEqual({ ...row, publishedSeq: 1 });
    });

    test('only raise published_seq, repeated and in any order', async () => {
      const row = await world.finalRow({ outcomeSeq: 3 });
      world.store().mark(row.id, 2);
      world.store().mark(row.id, 1);
      await world.store().drainMarks();
      world.store().mark(row.id, 1);
      await world.store().drainMarks();
      expect(await world.loaded(row.id)).toMatchObject({ publishedSeq: 2, wakeAtMs: row.wakeAtMs });
    });

    test('leave the wake-up of a row that was reopened meanwhile', async () => {
      const row = await world.finalRow();
      const reopened = await world.written(row, { status: 'Failed', final: null, publishedSeq: 1 });
      world.store().mark(row.id, 1);
      await world.store().drainMarks();
      expect(await world.loaded(row.id)).toEqual(reopened);
    });

    test('of many rows and of no row are drained', async () => {
      const rows = await Promise.all(Array.from({ length: 700 }, () => world.finalRow()));
      for (const { id } of rows) world.store().mark(id, 1);
      world.store().mark(anId(), 1);
      await world.store().drainMarks();
      await world.store().drainMarks();
      const { found } = await world.store().load(rows.slice(0, 500).map(({ id }) => id));
      expect([...found.values()].every(({ row }) => row.publishedSeq === 1)).toBe(true);
    });

    test('of an outcome that the row never had are quarantined', async () => {
      const row = await world.finalRow();
      world.store().mark(row.id, 7);
      await world.store().drainMarks();
      expect(await world.loaded(row.id)).toEqual(row);
      expect(await world.quarantined()).toEqual([
        { reason: 'row-refused', notificationId: row.id, offset: null },
      ]);
    });
  });
}
