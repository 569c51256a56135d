// A COMMIT whose answer was lost, with another process that writes before its fate is known; and one that never arrived.
import { describe, expect, test } from 'vitest';
import { type InterleavingWorld, touchOn, writeOn } from './interleaving-world.ts';
import { aClaim, anInsertion, anOutcome } from './state-builders.ts';

export function lostCommitInterleavings(world: InterleavingWorld): void {
  describe('a lost COMMIT answer', () => {
    test('of an insert is written when nobody wrote since, and exists with my own token when somebody did', async () => {
      const [mine, other] = [await world.process(), await world.process()];
      const alone = anInsertion({ claim: aClaim(), attempts: 1 });
      const held = mine.hold('before-answer', 'cut');
      const inserting = mine.store.insert(alone);
      await held.reached;
      held.release();
      expect(await inserting).toMatchObject({ kind: 'written', row: { version: 1 } });
      const touched = anInsertion({ claim: aClaim(), attempts: 1 });
      const heldAgain = mine.hold('before-answer', 'cut');
      const insertingAgain = mine.store.insert(touched);
      await heldAgain.reached;
      const { id, claim } = touched.change.next;
      await other.store.write(touchOn(await world.loaded(other, id), 7));
      heldAgain.release();
      expect(await insertingAgain).toEqual({ kind: 'exists' });
      expect((await world.loaded(mine, id)).claim?.token).toBe(claim?.token);
      expect(await world.row(id)).toMatchObject({ version: 2, readAtMs: 7, claimToken: claim?.token });
    });

    test('of a claim is written once; with a write on top it is stale, and the row shows my own token', async () => {
      const [mine, other] = [await world.process(), await world.process()];
      const [alone, touched] = [
        await world.inserted(mine, anInsertion()),
        await world.inserted(mine, anInsertion()),
      ];
      const claim = aClaim();
      const held = mine.hold('before-answer', 'cut');
      const claiming = mine.store.write(writeOn(alone, { claim, attempts: 1 }));
      await held.reached;
      // Too late: the row has my claim.
      expect(await other.store.write(writeOn(alone, { claim: aClaim(), attempts: 1 }))).toEqual({
        kind: 'stale',
      });
      held.release();
      expect(await claiming).toMatchObject({ kind: 'written', row: { version: 2, attempts: 1, claim } });
      const heldAgain = mine.hold('before-answer', 'cut');
      const claimingAgain = mine.store.write(writeOn(touched, { claim, attempts: 1 }));
      await heldAgain.reached;
      await other.store.write(touchOn(await world.loaded(other, touched.id), 7));
      heldAgain.release();
      expect(await claimingAgain).toEqual({ kind: 'stale' });
      expect((await world.loaded(mine, touched.id)).claim?.token).toBe(claim.token);
      expect(await world.row(touched.id)).toMatchObject({ version: 3, readAtMs: 7, attempts: 1 });
    });

    test('of a settle is written with the mark that came in between, and is not folded twice', async () => {
      const [mine, other] = [await world.process(), await world.process()];
      const claimed = await world.inserted(mine, anInsertion({ claim: aClaim(), attempts: 1 }));
      const sent = {
        claim: null,
        status: 'Sent',
        final: 'accepted',
        outcome: anOutcome(),
        outcomeSeq: 1,
      } as const;
      const held = mine.hold('before-answer', 'cut');
      const settling = mine.store.write(writeOn(claimed, sent));
      await held.reached;
      other.store.mark(claimed.id, 1);
      await other.store.drainMarks();
      held.release();
      expect(await settling).toMatchObject({
        kind: 'written',
        row: { version: 2, final: 'accepted', publishedSeq: 1, wakeAtMs: null },
      });
      expect(await world.row(claimed.id)).toMatchObject({
        ...{ version: 2, claimToken: null, outcomeSeq: 1, publishedSeq: 1, wakeAtMs: null },
      });
    });

    test('of a mark is repeated, and the repeat leaves what others made of the row since', async () => {
      const [mine, other] = [await world.process(), await world.process()];
      const rows = [
        await world.finalRow(mine),
        await world.finalRow(mine),
        await world.finalRow(mine),
      ] as const;
      const [alone, reopened, decided] = rows;
      const held = mine.hold('before-answer', 'cut');
      for (const { id } of rows) mine.store.mark(id, 1);
      const draining = mine.store.drainMarks();
      await held.reached;
      const timer = await other.store.write(
        writeOn(reopened, { status: 'Failed', final: null, publishedSeq: 1 }),
      );
      const outcome = anOutcome({ seq: 2 });
      const debt = await other.store.write(writeOn(decided, { outcome, outcomeSeq: 2, publishedSeq: 1 }));
      held.release();
      await draining;
      expect(await world.row(alone.id)).toMatchObject({ version: 1, publishedSeq: 1, wakeAtMs: null });
      expect([timer, debt]).toMatchObject([{ kind: 'written' }, { kind: 'written' }]);
      expect(await world.row(reopened.id)).toMatchObject({
        ...{
          version: 2,
          publishedSeq: 1,
          wakeInLog: true,
          wakeAtMs: timer.kind === 'written' && timer.row.wakeAtMs,
        },
      });
      expect(await world.row(decided.id)).toMatchObject({
        ...{ version: 2, outcomeSeq: 2, publishedSeq: 1 },
        ...{ wakeInLog: true, wakeAtMs: debt.kind === 'written' && debt.row.wakeAtMs },
      });
    });
  });

  describe('a connection that breaks', () => {
    test.each(['before-statements', 'before-commit'] as const)(
      '%s costs nobody a write and doubles none: insert, write and mark',
      async (point) => {
        const [mine] = [await world.process()];
        const [row, final] = [await world.inserted(mine, anInsertion()), await world.finalRow(mine)];
        const insertion = anInsertion();
        const cut = async <T>(work: () => Promise<T>): Promise<T> => {
          const held = mine.hold(point, 'cut');
          const working = work();
          await held.reached;
          held.release();
          return working;
        };
        expect((await cut(() => mine.store.insert(insertion))).kind).toBe('written');
        expect((await cut(() => mine.store.write(writeOn(row, { attempts: 1 })))).kind).toBe('written');
        mine.store.mark(final.id, 1);
        await cut(() => mine.store.drainMarks());
        expect(await world.row(insertion.change.next.id)).toMatchObject({ version: 1 });
        expect(await world.row(row.id)).toMatchObject({ version: 2, attempts: 1, wakeSeq: 2 });
        expect(await world.row(final.id)).toMatchObject({ version: 1, publishedSeq: 1, wakeAtMs: null });
      },
    );
  });
}
