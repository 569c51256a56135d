// Who has a row when several processes want it at once: whoever committed first, and everybody is told the truth.
import { describe, expect, test } from 'vitest';
import { type InterleavingWorld, touchOn, writeOn } from './interleaving-world.ts';
import { aClaim, anInsertion } from './state-builders.ts';

export function claimInterleavings(world: InterleavingWorld): void {
  describe('claim against claim', () => {
    test('the one that came to its COMMIT first has the row, three others that wait are told stale', async () => {
      const [first, ...others] = [
        await world.process(),
        await world.process(),
        await world.process(),
        await world.process(),
      ];
      const row = await world.inserted(first, anInsertion());
      const claim = aClaim();
      const held = first.hold('before-commit');
      const mine = first.store.write(writeOn(row, { claim, attempts: 1 }));
      await held.reached;
      const theirs = others.map(({ store }) => store.write(writeOn(row, { claim: aClaim(), attempts: 1 })));
      for (const other of others) await other.waits();
      held.release();
      expect(await mine).toMatchObject({ kind: 'written', row: { version: 2, claim } });
      expect(await Promise.all(theirs)).toEqual([{ kind: 'stale' }, { kind: 'stale' }, { kind: 'stale' }]);
      expect(await world.row(row.id)).toMatchObject({ version: 2, claimToken: claim.token, attempts: 1 });
    });

    test('one that dies before its COMMIT leaves the row to the one that waits', async () => {
      const [dying, waiting] = [await world.process(), await world.process()];
      const row = await world.inserted(dying, anInsertion());
      const claim = aClaim();
      const held = dying.hold('before-commit', 'cut');
      const lost = dying.store.write(writeOn(row, { claim: aClaim(), attempts: 1 }));
      await held.reached;
      const won = waiting.store.write(writeOn(row, { claim, attempts: 1 }));
      await waiting.waits();
      held.release();
      expect(await won).toMatchObject({ kind: 'written', row: { version: 2, claim } });
      expect(await lost).toEqual({ kind: 'stale' });
      expect(await world.row(row.id)).toMatchObject({ version: 2, claimToken: claim.token });
    });

    test('one that was under way while another committed is stale when it arrives', async () => {
      const [slow, fast] = [await world.process(), await world.process()];
      const row = await world.inserted(slow, anInsertion());
      const claim = aClaim();
      const held = slow.hold('before-statements');
      const late = slow.store.write(writeOn(row, { claim: aClaim(), attempts: 1 }));
      await held.reached;
      expect(await fast.store.write(writeOn(row, { claim, attempts: 1 }))).toMatchObject({ kind: 'written' });
      held.release();
      expect(await late).toEqual({ kind: 'stale' });
      expect(await world.row(row.id)).toMatchObject({ version: 2, claimToken: claim.token });
    });
  });

  describe('settle against a write of another process between load and settle', () => {
    test('is stale, finds its claim and wake-up untouched, and loses nothing when it folds again', async () => {
      const [owner, webhook] = [await world.process(), await world.process()];
      const claim = aClaim();
      const claimed = await world.inserted(owner, anInsertion({ claim, attempts: 1 }));
      const held = owner.hold('before-statements');
      const settling = owner.store.write(writeOn(claimed, { claim: null, status: 'Failed' }));
      await held.reached;
      expect(await webhook.store.write(touchOn(claimed, 7))).toMatchObject({ kind: 'written' });
      const { wakeAtMs, wakeSeq, wakeInLog } = claimed;
      expect(await world.row(claimed.id)).toMatchObject({
        ...{ version: 2, claimToken: claim.token, readAtMs: 7 },
        ...{ wakeAtMs, wakeSeq, wakeInLog },
      });
      held.release();
      expect(await settling).toEqual({ kind: 'stale' });
      const now = await world.loaded(owner, claimed.id);
      expect(now.claim?.token).toBe(claim.token);
      await owner.store.write(writeOn(now, { claim: null, status: 'Failed' }));
      expect(await world.row(claimed.id)).toMatchObject({
        ...{ version: 3, claimToken: null, attempts: 1, readAtMs: 7 },
        wakeSeq: wakeSeq + 1,
      });
    });

    test('waits for that write when it is not committed yet, and is stale then', async () => {
      const [owner, webhook] = [await world.process(), await world.process()];
      const claimed = await world.inserted(owner, anInsertion({ claim: aClaim(), attempts: 1 }));
      const held = webhook.hold('before-commit');
      const touching = webhook.store.write(touchOn(claimed, 7));
      await held.reached;
      const settling = owner.store.write(writeOn(claimed, { claim: null, status: 'Failed' }));
      await owner.waits();
      held.release();
      expect((await touching).kind).toBe('written');
      expect(await settling).toEqual({ kind: 'stale' });
      expect(await world.row(claimed.id)).toMatchObject({
        ...{ version: 2, readAtMs: 7, claimToken: claimed.claim?.token, wakeSeq: claimed.wakeSeq },
      });
    });

    test('of a frozen owner after a takeover changes nothing', async () => {
      const [frozen, successor] = [await world.process(), await world.process()];
      const claimed = await world.inserted(frozen, anInsertion({ claim: aClaim(), attempts: 1 }));
      const held = frozen.hold('before-statements');
      const settling = frozen.store.write(
        writeOn(claimed, { claim: null, status: 'Sent', final: 'accepted' }),
      );
      await held.reached;
      const takeover = aClaim({ takeovers: 1 });
      await successor.store.write(writeOn(claimed, { claim: takeover }));
      held.release();
      expect(await settling).toEqual({ kind: 'stale' });
      expect(await world.row(claimed.id)).toMatchObject({
        ...{ version: 2, final: null, claimToken: takeover.token },
      });
    });
  });
}
