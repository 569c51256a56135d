import { describe, expect, test } from 'vitest';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import { loadBatcher } from '../../../src/state/load-batcher.ts';
import type { Loaded } from '../../../src/state/store.ts';
import { someIds } from '../../contract/state/state-builders.ts';

interface Query {
  readonly ids: readonly NotificationId[];
  answer(nowMs: number): void;
  fail(error: Error): void;
}

/** A loader whose queries are answered by hand. */
function handAnswered() {
  const queries: Query[] = [];
  const load = loadBatcher(
    (ids) =>
      new Promise<Loaded>((resolve, reject) => {
        const found = new Map(ids.map((id) => [id, { row: { id } } as never]));
        queries.push({ ids, answer: (nowMs) => resolve({ nowMs, found }), fail: reject });
      }),
  );
  const query = (at: number): Query => {
    const there = queries[at];
    expect(there, `query ${at}`).toBeDefined();
    return there as Query;
  };
  return { load, queries, query };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('loads', () => {
  test('of one turn are one query, and each caller gets its own keys', async () => {
    const { load, queries, query } = handAnswered();
    const [a, b, c] = someIds(3) as [NotificationId, NotificationId, NotificationId];
    const answers = [load([a]), load([b, c]), load([a, c])];
    await turn();
    expect(queries).toHaveLength(1);
    expect(query(0).ids).toEqual([a, b, c]);
    query(0).answer(7);
    const loaded = await Promise.all(answers);
    expect(loaded.map(({ found }) => [...found.keys()])).toEqual([[a], [b, c], [a, c]]);
    expect(loaded.every(({ nowMs }) => nowMs === 7)).toBe(true);
  });

  test('gather while two queries are under way, and start when one ends', async () => {
    const { load, queries, query } = handAnswered();
    const ids = someIds(4);
    const answers: Promise<Loaded>[] = [];
    for (const id of ids) {
      answers.push(load([id]));
      await turn();
    }
    expect(queries.map((one) => one.ids)).toEqual([[ids[0]], [ids[1]]]);
    query(1).answer(1);
    await turn();
    expect(query(2).ids).toEqual([ids[2], ids[3]]);
    query(0).answer(1);
    query(2).answer(1);
    await Promise.all(answers);
    const last = load(ids);
    await turn();
    query(3).answer(1);
    expect((await last).found.size).toBe(4);
  });

  test('never ask for more than 500 keys at once, nor split a call', async () => {
    const { load, queries, query } = handAnswered();
    const answers = [load(someIds(300)), load(someIds(300)), load(someIds(500)), load(someIds(1))];
    for (let at = 0; at < 3; at += 1) {
      await turn();
      query(at).answer(1);
    }
    await turn();
    query(3).answer(1);
    await Promise.all(answers);
    expect(queries.map(({ ids }) => ids.length)).toEqual([300, 300, 500, 1]);
  });

  test('that fail fail for their callers only', async () => {
    const { load, query } = handAnswered();
    const [a, b] = someIds(2) as [NotificationId, NotificationId];
    const failing = load([a]);
    await turn();
    const working = load([b]);
    await turn();
    query(0).fail(new RangeError('lost'));
    await expect(failing).rejects.toThrow('lost');
    query(1).answer(1);
    expect((await working).found.size).toBe(1);
    const again = load([a]);
    await turn();
    query(2).answer(1);
    expect((await again).found.size).toBe(1);
  });
});
