// A row comes into being once, whole, with its content beside it.
import { describe, expect, test } from 'vitest';
import { aClaim, aFullState, anId, anInsertion } from './state-builders.ts';
import type { StoreWorld } from './store-world.ts';

export function insertContract(world: StoreWorld): void {
  describe('insert', () => {
    test('gives back the row as it is committed, content beside it', async () => {
      const insertion = anInsertion(aFullState());
      const row = await world.inserted(insertion);
      expect(row).toMatchObject({ ...insertion.change.next, version: 1, wakeSeq: 1, wakeInLog: true });
      const { found } = await world.store().load([row.id]);
      expect(found.get(row.id)).toMatchObject({
        row,
        content: insertion.content,
        payloadHash: insertion.content.payloadHash,
      });
    });

    test('keeps every null of an empty state', async () => {
      const row = await world.inserted(anInsertion({ tenantId: null }));
      expect(await world.loaded(row.id)).toEqual(row);
      expect(row).toMatchObject({
        tenantId: null,
        claim: null,
        outcome: null,
        lastError: null,
        evidence: [],
      });
    });

    test('answers exists for an id that is there and leaves row and content alone', async () => {
      const first = anInsertion();
      const row = await world.inserted(first);
      const second = anInsertion({ id: row.id, tenantId: 'other' });
      expect(await world.store().insert(second)).toEqual({ kind: 'exists' });
      const { found } = await world.store().load([row.id]);
      expect(found.get(row.id)).toMatchObject({ row, content: first.content });
    });

    test('lets one of two inserts of the same id win', async () => {
      const id = anId();
      const answers = await Promise.all([
        world.store().insert(anInsertion({ id })),
        world.store().insert(anInsertion({ id })),
      ]);
      expect(answers.map(({ kind }) => kind)).toEqual(['written', 'exists']);
    });

    test('stamps a row that is born claimed and one that is born final', async () => {
      const claimed = await world.inserted(anInsertion({ claim: aClaim(), attempts: 1 }));
      expect(claimed.firstAttemptAtMs).toBe(claimed.createdAtMs);
      expect(claimed.lastAttemptAtMs).toBe(claimed.createdAtMs);
      expect(claimed.outcomeAtMs).toBeNull();
      const final = await world.finalRow();
      expect(final.outcomeAtMs).toBe(final.createdAtMs);
      expect(final.firstAttemptAtMs).toBeNull();
    });

    test('keeps text as it came: quotes, braces, commas, umlauts, emoji, the word NULL', async () => {
      const text = `{"a\\",NULL}\t'ü' 🚀 \u2028 null`;
      const row = await world.inserted(
        anInsertion({ tenantId: text, providerMessageId: 'NULL', providerKey: '' }),
      );
      expect(await world.loaded(row.id)).toMatchObject({
        tenantId: text,
        providerMessageId: 'NULL',
        providerKey: '',
      });
    });
  });

  describe('content', () => {
    test('keeps every character that its sender wrote, NUL included', async () => {
      const insertion = anInsertion();
      const request = { ...insertion.content.request, data: { text: 'a\0b \ud83d\ude80 "\\u0000"' } };
      const content = { ...insertion.content, request, traceparent: '00-ab-cd-01' };
      await world.inserted({ ...insertion, content });
      const { found } = await world.store().load([insertion.change.next.id]);
      expect(found.get(insertion.change.next.id)?.content).toEqual(content);
    });
  });
}
