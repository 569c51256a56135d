// A row that breaks a constraint is put aside, and nobody else pays for it.
import { describe, expect, test } from 'vitest';
import { invariant } from '../../../src/runtime/fault.ts';
import type { Insertion } from '../../../src/state/store.ts';
import { aChange, aClaim, anInsertion, anOutcome, aWrite, someIds } from './state-builders.ts';
import type { StoreWorld } from './store-world.ts';

export function refusalContract(world: StoreWorld): void {
  describe('a row that its constraints refuse', () => {
    const bad: readonly (readonly [string, Insertion])[] = [
      ['waiting for nothing', anInsertion({}, { wake: { kind: 'none' } })],
      [
        'claimed under a hold without a lease',
        anInsertion({ hold: 'paused tenant:tenant-1', claim: aClaim() }, { wake: { kind: 'none' } }),
      ],
      ['owing an outcome without being final', anInsertion({ outcomeSeq: 1, outcome: anOutcome() })],
      [
        'final, owing an outcome, without a wake-up',
        anInsertion(
          { status: 'Sent', final: 'accepted', outcomeSeq: 1, outcome: anOutcome() },
          { wake: { kind: 'none' } },
        ),
      ],
      [
        'owing an outcome that it does not hold',
        anInsertion({ status: 'Sent', final: 'accepted', outcomeSeq: 1 }),
      ],
      ['published beyond its outcome', anInsertion({ publishedSeq: 1 })],
      ['holding NUL in a column', anInsertion({ providerMessageId: 'a\0b' })],
      [
        'holding NUL in its evidence',
        anInsertion({ evidence: [{ messageId: 'a\0b', cycle: 0, attempt: 1, verdict: 'accepted' }] }),
      ],
      ['claimed by a token that is no uuid', anInsertion({ claim: aClaim({ token: 'mine' }) })],
    ];

    test.each(bad)('%s is quarantined and its neighbours are committed', async (_name, poison) => {
      const neighbours = someIds(40).map((id) => anInsertion({ id }));
      const answers = await Promise.all(
        [...neighbours.slice(20), poison, ...neighbours.slice(0, 20)].map(world.store().insert),
      );
      expect(answers.filter(({ kind }) => kind === 'written')).toHaveLength(40);
      expect(answers[20]).toMatchObject({ kind: 'quarantined' });
      expect(await world.loaded(poison.change.next.id)).toBeNull();
      expect(await world.quarantined()).toEqual([
        { reason: 'row-refused', notificationId: poison.change.next.id, offset: null },
      ]);
    });

    test('keeps its last good version when a write is refused, and lives on', async () => {
      const rows = await Promise.all(someIds(30).map((id) => world.inserted(anInsertion({ id }))));
      const answers = await Promise.all(
        rows.map((row, index) =>
          world
            .store()
            .write(aWrite(1, aChange({ ...row, providerMessageId: index % 10 === 4 ? 'a\0b' : 'm' }))),
        ),
      );
      expect(answers.filter(({ kind }) => kind === 'quarantined')).toHaveLength(3);
      expect(answers.filter(({ kind }) => kind === 'written')).toHaveLength(27);
      const [, , , , refused] = rows;
      invariant(refused !== undefined, 'thirty rows');
      expect(await world.loaded(refused.id)).toEqual(refused);
      expect(await world.written(refused, { providerMessageId: 'clean' })).toMatchObject({ version: 2 });
    });
  });
}
