// One id, several processes that insert it at once: one row, with the content of the same winner.
import { describe, expect, test } from 'vitest';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import type { Insertion } from '../../../src/state/store.ts';
import { type InterleavingWorld, idsOfOneLane, twoOfOneLane } from './interleaving-world.ts';
import { aClaim, anId, anInsertion } from './state-builders.ts';

export function insertInterleavings(world: InterleavingWorld): void {
  describe('insert against insert of the same id', () => {
    test('the first to its COMMIT has row and content, two others that wait load somebody else’s token', async () => {
      const [first, second, third] = [await world.process(), await world.process(), await world.process()];
      const id = anId();
      const [mine, ...theirs] = [bornClaimed(id, '1'), bornClaimed(id, '2'), bornClaimed(id, '3')] as const;
      const held = first.hold('before-commit');
      const inserting = first.store.insert(mine);
      await held.reached;
      const others = [second.store.insert(theirs[0]), third.store.insert(theirs[1])];
      for (const other of [second, third]) await other.waits();
      held.release();
      expect(await inserting).toMatchObject({ kind: 'written', row: { version: 1 } });
      expect(await Promise.all(others)).toEqual([{ kind: 'exists' }, { kind: 'exists' }]);
      const token = mine.change.next.claim?.token;
      expect((await world.loaded(second, id)).claim?.token).toBe(token);
      expect(await world.row(id)).toMatchObject({
        ...{ version: 1, claimToken: token, writeToken: mine.writeToken, payloadHash: '1'.repeat(64) },
      });
    });

    test('one that dies before its COMMIT leaves the id to the one that waits', async () => {
      const [dying, waiting] = [await world.process(), await world.process()];
      const id = anId();
      const [mine, theirs] = [bornClaimed(id, '1'), bornClaimed(id, '2')];
      const held = dying.hold('before-commit', 'cut');
      const lost = dying.store.insert(mine);
      await held.reached;
      const won = waiting.store.insert(theirs);
      await waiting.waits();
      held.release();
      expect(await won).toMatchObject({ kind: 'written', row: { claim: theirs.change.next.claim } });
      expect(await lost).toEqual({ kind: 'exists' });
      expect(await world.row(id)).toMatchObject({
        ...{ version: 1, writeToken: theirs.writeToken, payloadHash: '2'.repeat(64) },
      });
    });

    test('flushes that overlap in one id each commit what is theirs', async () => {
      const [first, second] = [await world.process(), await world.process()];
      const [one, both, three] = idsOfOneLane(3) as [NotificationId, NotificationId, NotificationId];
      const held = first.hold('before-commit');
      const left = Promise.all([one, both].map((id) => first.store.insert(bornClaimed(id, '1'))));
      await held.reached;
      const right = Promise.all([both, three].map((id) => second.store.insert(bornClaimed(id, '2'))));
      await second.waits();
      held.release();
      expect((await left).map(({ kind }) => kind)).toEqual(['written', 'written']);
      expect((await right).map(({ kind }) => kind)).toEqual(['exists', 'written']);
      const hashes = await Promise.all(
        [one, both, three].map(async (id) => (await world.row(id))?.payloadHash),
      );
      expect(hashes).toEqual(['1', '1', '2'].map((digit) => digit.repeat(64)));
    });

    test('that was under way while another committed and wrote on is told exists', async () => {
      const [slow, fast] = [await world.process(), await world.process()];
      const [id, neighbour] = twoOfOneLane();
      const held = slow.hold('before-statements');
      const late = Promise.all([
        slow.store.insert(bornClaimed(id, '1')),
        slow.store.insert(anInsertion({ id: neighbour })),
      ]);
      await held.reached;
      const theirs = bornClaimed(id, '2');
      await world.inserted(fast, theirs);
      held.release();
      expect((await late).map(({ kind }) => kind)).toEqual(['exists', 'written']);
      expect(await world.row(id)).toMatchObject({ version: 1, writeToken: theirs.writeToken });
    });
  });
}

/** The same id with a content of its own: its hash is `digit`, again and again. */
function bornClaimed(id: NotificationId, digit: string): Insertion {
  const insertion = anInsertion({ id, claim: aClaim(), attempts: 1 });
  return { ...insertion, content: { ...insertion.content, payloadHash: digit.repeat(64) } };
}
