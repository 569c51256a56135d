// Sweepers beside writers: a page never waits for anybody, misses no row for good, and never moves a wake-up that is not its own.
import { describe, expect, test } from 'vitest';
import { invariant } from '../../../src/runtime/fault.ts';
import { type InterleavingWorld, idsOfOneLane, type StoreProcess, writeOn } from './interleaving-world.ts';
import { anInsertion } from './state-builders.ts';

const OVERDUE = { wake: { kind: 'at', atMs: 1e12, inLog: false } } as const;
const PAGE = { after: null, limit: 500, aheadMs: 0 } as const;

export function sweepInterleavings(world: InterleavingWorld): void {
  const overdueRows = (process: StoreProcess) =>
    Promise.all(idsOfOneLane(6).map((id) => world.inserted(process, anInsertion({ id }, OVERDUE))));

  describe('sweepers', () => {
    test('two of them page through what two writers leave free, without waiting', async () => {
      const [one, two] = [await world.process(), await world.process()];
      const sweepers = [await world.process(), await world.process()];
      const rows = await overdueRows(one);
      const [first, , , fourth] = rows;
      invariant(first !== undefined && fourth !== undefined, 'six rows');
      const holds = [one.hold('before-commit'), two.hold('before-commit')];
      const writes = [
        one.store.write(writeOn(first, { hold: 'paused tenant:tenant-1' }, { wake: { kind: 'none' } })),
        two.store.write(writeOn(fourth, { attempts: 1 }, OVERDUE)),
      ];
      await Promise.all(holds.map(({ reached }) => reached));
      const pages = await Promise.all(sweepers.map(({ store }) => store.overdue(PAGE)));
      const free = rows.filter((row) => row !== first && row !== fourth).map(({ id }) => id);
      const seen = new Set(pages.flatMap((page) => page.rows.map(({ id }) => id)));
      expect(free.filter((id) => !seen.has(id))).toEqual([]);
      for (const held of holds) held.release();
      await Promise.all(writes);
      const after = await sweepers[0]?.store.overdue(PAGE);
      expect(after?.rows.map(({ id }) => id)).toEqual(rows.slice(1).map(({ id }) => id));
      expect(after?.rows.find(({ id }) => id === fourth.id)?.wakeSeq).toBe(2);
    });

    test('a wake-up that moved between page and production is not taken for the new one', async () => {
      const [writer, sweeper] = [await world.process(), await world.process()];
      const [row] = await overdueRows(writer);
      invariant(row !== undefined, 'six rows');
      const held = writer.hold('before-commit');
      const moving = writer.store.write(
        writeOn(row, {}, { wake: { kind: 'after', waitMs: 5, inLog: false } }),
      );
      await held.reached;
      const entering = sweeper.store.wakeEnteredLog([{ id: row.id, wakeSeq: row.wakeSeq }]);
      held.release();
      await Promise.all([moving, entering]);
      expect(await world.row(row.id)).toMatchObject({ version: 2, wakeSeq: 2, wakeInLog: false });
    });

    test('one pass at a time, while the holder of the lock writes', async () => {
      const [holder, other] = [await world.process(), await world.process()];
      const row = await world.inserted(holder, anInsertion({}, OVERDUE));
      const held = holder.hold('before-commit');
      const passed = holder.store.underLock('sweep', async () => {
        const writing = holder.store.write(writeOn(row, { attempts: 1 }));
        await held.reached;
        const meanwhile = await other.store.underLock('sweep', () => Promise.resolve('twice'));
        held.release();
        return { meanwhile, written: (await writing).kind };
      });
      expect(await passed).toEqual({ meanwhile: null, written: 'written' });
      expect(await other.store.underLock('sweep', () => Promise.resolve('next'))).toBe('next');
    });
  });
}
