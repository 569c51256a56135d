// Whole flushes that meet: a deadlock ends for both, and a bad row is found although another process holds one of its neighbours.
import { describe, expect, test } from 'vitest';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import { type InterleavingWorld, idsOfOneLane, type StoreProcess, writeOn } from './interleaving-world.ts';
import { anInsertion, anOutcome } from './state-builders.ts';

export function flushInterleavings(world: InterleavingWorld): void {
  test('two flushes that lock the same rows in opposite order both commit in the end', async () => {
    const [left, right] = [await world.process(), await world.process()];
    const [one, two] = idsOfOneLane(2) as [NotificationId, NotificationId];
    const [a, b] = [await world.finalRow(left, { id: one }), await world.finalRow(left, { id: two })];
    const holds = [left.hold('before-marks'), right.hold('before-marks', 'deadlock')];
    const crossing = async ({ store }: StoreProcess, write: typeof a, mark: typeof a) => {
      store.mark(mark.id, 1);
      return store.write(writeOn(write, { readAtMs: 7 }, { wake: { kind: 'keep' } }));
    };
    const writes = [crossing(left, a, b), crossing(right, b, a)];
    await Promise.all(holds.map(({ reached }) => reached));
    for (const held of holds) held.release();
    expect((await Promise.all(writes)).map(({ kind }) => kind)).toEqual(['written', 'written']);
    await Promise.all([left.store.drainMarks(), right.store.drainMarks()]);
    for (const { id } of [a, b])
      expect(await world.row(id)).toMatchObject({ version: 2, readAtMs: 7, publishedSeq: 1, wakeAtMs: null });
    expect(await world.quarantined()).toEqual([]);
  });

  describe('a flush with one bad row', () => {
    const rowsOf = async (process: StoreProcess) => {
      const rows = await Promise.all(
        idsOfOneLane(9).map((id) => world.inserted(process, anInsertion({ id }))),
      );
      const [, , locked, , , poison] = rows;
      invariant(locked !== undefined && poison !== undefined, 'nine rows');
      return { rows, locked, poison, free: rows.filter((row) => row !== locked && row !== poison) };
    };

    test.each([
      ['broken by a constraint', { outcomeSeq: 1, outcome: anOutcome() }],
      ['that no column can hold', { providerMessageId: 'a\0b' }],
    ] as const)(
      '(%s) commits every other row once, while another process holds one of them',
      async (_what, bad) => {
        const [mine, other] = [await world.process(), await world.process()];
        const { rows, locked, poison, free } = await rowsOf(mine);
        const held = other.hold('before-commit');
        const theirs = other.store.write(writeOn(locked, { attempts: 5 }));
        await held.reached;
        const answers = rows.map(async (row) => {
          const answer = await mine.store.write(writeOn(row, row === poison ? bad : { attempts: 1 }));
          return [row.id, answer.kind] as const;
        });
        await mine.waits();
        held.release();
        expect((await theirs).kind).toBe('written');
        const kinds = new Map<NotificationId, string>(rows.map(({ id }) => [id, 'written']));
        expect(new Map(await Promise.all(answers))).toEqual(
          kinds.set(locked.id, 'stale').set(poison.id, 'quarantined'),
        );
        expect(await world.quarantined()).toEqual([poison.id]);
        expect(await world.row(locked.id)).toMatchObject({ version: 2, attempts: 5 });
        expect(await world.row(poison.id)).toMatchObject({ version: 1, attempts: 0 });
        for (const { id } of free) expect(await world.row(id)).toMatchObject({ version: 2, attempts: 1 });
      },
    );
  });
}
