// A row changes only where its version is the expected one, and says what it became.
import { describe, expect, test } from 'vitest';
import { appendTrail, lastEntry, MAX_TRAIL_CHARS } from '../../../src/domain/trail.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import {
  aChange,
  aClaim,
  aFullState,
  anId,
  anInsertion,
  anOutcome,
  aWrite,
  someIds,
} from './state-builders.ts';
import type { StoreWorld } from './store-world.ts';

export function writeContract(world: StoreWorld): void {
  describe('write', () => {
    test('commits the change where the version is expected and raises the version by one', async () => {
      const row = await world.inserted(anInsertion());
      const { id, inAppUserId, notBeforeMs, notAfterMs } = row;
      const next = aFullState({ id, inAppUserId, notBeforeMs, notAfterMs });
      const answer = await world.store().write(aWrite(1, aChange(next)));
      invariant(answer.kind === 'written', 'written');
      expect(answer.row).toMatchObject({ ...next, version: 2 });
      expect(await world.loaded(row.id)).toEqual(answer.row);
    });

    test('answers stale for another version and for a row that is not there', async () => {
      const row = await world.inserted(anInsertion());
      expect(await world.store().write(aWrite(2, aChange({ id: row.id })))).toEqual({ kind: 'stale' });
      expect(await world.store().write(aWrite(1, aChange()))).toEqual({ kind: 'stale' });
      expect(await world.loaded(row.id)).toEqual(row);
    });

    test('commits two writes of one key in the order they came', async () => {
      const { id } = await world.inserted(anInsertion());
      const answers = await Promise.all([
        world.store().write(aWrite(1, aChange({ id, attempts: 1 }))),
        world.store().write(aWrite(2, aChange({ id, attempts: 2 }))),
        world.store().write(aWrite(2, aChange({ id, attempts: 3 }))),
      ]);
      expect(answers.map(({ kind }) => kind)).toEqual(['written', 'written', 'stale']);
      expect(await world.loaded(id)).toMatchObject({ version: 3, attempts: 2 });
    });

    test('commits an insert and a write of its row that were handed over together', async () => {
      const id = anId();
      const answers = await Promise.all([
        world.store().insert(anInsertion({ id })),
        world.store().write(aWrite(1, aChange({ id, attempts: 1 }))),
      ]);
      expect(answers.map(({ kind }) => kind)).toEqual(['written', 'written']);
    });

    test('answers each of many keys in one flush with its own row', async () => {
      const ids = someIds(1_200);
      const insertions = ids.map((id, index) => anInsertion({ id, attempts: index % 7 }));
      const rows = await Promise.all(insertions.map(world.inserted));
      expect(rows.map(({ id }) => id)).toEqual(ids);
      const answers = await Promise.all(
        rows.map((row, index) =>
          world
            .store()
            .write(aWrite(index % 3 === 0 ? 9 : 1, aChange({ ...row, attempts: row.attempts + 1 }))),
        ),
      );
      expect(answers.map(({ kind }) => kind)).toEqual(
        ids.map((_, index) => (index % 3 === 0 ? 'stale' : 'written')),
      );
      const { found } = await world.store().load(ids.slice(0, 500));
      for (const [index, id] of ids.slice(0, 500).entries()) {
        const attempts = (index % 7) + (index % 3 === 0 ? 0 : 1);
        expect(found.get(id)?.row).toMatchObject({ id, attempts });
      }
    });

    test('stamps attempts by new claim tokens only', async () => {
      const row = await world.inserted(anInsertion());
      const claim = aClaim();
      const claimed = await world.written(row, { claim, attempts: 1 });
      expect(claimed.firstAttemptAtMs).toBeGreaterThanOrEqual(row.createdAtMs);
      expect(claimed.lastAttemptAtMs).toBe(claimed.firstAttemptAtMs);
      const same = await world.written(claimed, { claim });
      expect(same.lastAttemptAtMs).toBe(claimed.lastAttemptAtMs);
      const released = await world.written(same, { claim: null });
      expect(released.lastAttemptAtMs).toBe(claimed.lastAttemptAtMs);
      const again = await world.written(released, { claim: aClaim({ attempt: 2 }), attempts: 2 });
      expect(again.firstAttemptAtMs).toBe(claimed.firstAttemptAtMs);
      expect(again.lastAttemptAtMs).toBeGreaterThanOrEqual(claimed.lastAttemptAtMs ?? 0);
    });

    test('stamps the outcome when its number rises and at no other time', async () => {
      const row = await world.inserted(anInsertion());
      const decided = await world.written(row, {
        status: 'Sent',
        final: 'accepted',
        outcome: anOutcome(),
        outcomeSeq: 1,
      });
      expect(decided.outcomeAtMs).toBeGreaterThanOrEqual(row.createdAtMs);
      const read = await world.written(decided, { readAtMs: 5 });
      expect(read.outcomeAtMs).toBe(decided.outcomeAtMs);
      const laterMs = await world.clockBeyond(decided.outcomeAtMs ?? 0);
      const again = await world.written(read, {
        outcome: anOutcome({ seq: 2, supersedes: 1 }),
        publishedSeq: 1,
        outcomeSeq: 2,
      });
      expect(again.outcomeAtMs).toBeGreaterThanOrEqual(laterMs);
    });

    test('never takes back what a mark said, whatever the writer believed', async () => {
      const row = await world.finalRow();
      world.store().mark(row.id, 1);
      await world.store().drainMarks();
      const read = await world.written(row, { readAtMs: 5 }, { wake: { kind: 'keep' } });
      expect(read).toMatchObject({ publishedSeq: 1, wakeAtMs: null, version: 2 });
    });

    test('leaves nothing due on a final row whose outcome it says is published, also without the mark', async () => {
      const row = await world.finalRow();
      const published = { ...row, publishedSeq: 1 };
      const told = await world.written(published, { deliveredAtMs: 5 }, { wake: { kind: 'keep' } });
      expect(told).toMatchObject({ publishedSeq: 1, wakeAtMs: null, wakeInLog: false });
      const { rows } = await world.store().overdue({ after: null, limit: 10, aheadMs: 1e9 });
      expect(rows).toEqual([]);
    });

    test('sets published_seq with the write that reopens', async () => {
      const row = await world.finalRow();
      const reopened = await world.written(row, { status: 'Failed', final: null, publishedSeq: 1 });
      expect(reopened).toMatchObject({ final: null, publishedSeq: 1, outcomeSeq: 1 });
    });
  });

  describe('the trail', () => {
    test('grows by one line a write and drops the oldest whole lines beyond its limit', async () => {
      let row = await world.inserted(anInsertion({}, { trail: 'requested channel=email' }));
      let expected = appendTrail('', 'requested channel=email', row.createdAtMs);
      expect(row.trail).toBe(expected);
      for (let n = 0; n < 30; n += 1) {
        const code = `transient n=${n} ${'x'.repeat(100)}`;
        row = await world.written(row, {}, { trail: code });
        expected = appendTrail(expected, code, lastEntry(row.trail)?.atMs ?? 0);
        expect(row.trail).toBe(expected);
      }
      expect(row.trail.length).toBeLessThanOrEqual(MAX_TRAIL_CHARS);
      expect(row.trail).not.toContain('requested');
    });
  });
}
