// The lanes' promises under every fate of a flush, on the in-memory database and virtual time.
import { beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { type VirtualTime, virtualTime } from '../../../src/runtime/virtual-time.ts';
import { type MemoryDatabase, memoryDatabase } from '../../../src/state/memory-database.ts';
import type { Fate, MemoryFaults, MemoryStep } from '../../../src/state/memory-faults.ts';
import { memoryStore } from '../../../src/state/memory-store.ts';
import { MARK_DELAY_MS, type NotificationStore } from '../../../src/state/store.ts';
import { idsOfOneLane } from '../../contract/state/interleaving-world.ts';
import { aChange, anId, anInsertion, anOutcome, aWrite } from '../../contract/state/state-builders.ts';

let time: VirtualTime;
let database: MemoryDatabase;
let flushes: MemoryStep[];
let script: Fate[];
let beforeNext: (() => Promise<void>) | null;

/** Flushes meet the fates of `script` in turn, then `done`; everything else is always done. */
const faults: MemoryFaults = {
  async before(step) {
    if (step.kind !== 'flush') return 'done';
    flushes.push(step);
    const wait = beforeNext;
    beforeNext = null;
    await wait?.();
    return script.shift() ?? 'done';
  },
  after: () => Promise.resolve(),
};

const outages: (number | null)[] = [];
const open = (): NotificationStore =>
  memoryStore({
    clock: time.clock,
    timers: time.timers,
    database,
    faults,
    logger: silentLogger,
    onOutage: (sinceMs) => outages.push(sinceMs),
  });

beforeEach(() => {
  time = virtualTime();
  database = memoryDatabase({ clock: time.clock });
  flushes = [];
  script = [];
  beforeNext = null;
  outages.length = 0;
});

/** Both operations belong to one lane, so one flush can carry them. */
const twoOfOneLane = () =>
  [anId('00000000-0000-4000-8000-000000000000'), anId('00000000-0000-4000-8000-000000000002')] as const;

describe('a flush', () => {
  test('carries everything that gathered while the last one was under way', async () => {
    const store = open();
    let release: () => void = () => undefined;
    beforeNext = () => new Promise((resolve) => (release = resolve));
    const [first, second] = twoOfOneLane();
    const answers = [store.insert(anInsertion({ id: first }))];
    await time.settle();
    answers.push(
      store.insert(anInsertion({ id: second })),
      store.write(aWrite(1, aChange({ id: first }))) as never,
    );
    await time.settle();
    expect(flushes).toHaveLength(1);
    release();
    await Promise.all(answers);
    expect(flushes.map(({ ids }) => ids)).toEqual([[first], [second, first]]);
  });

  test('never carries more rows than the limit', async () => {
    const store = open();
    await Promise.all(Array.from({ length: 1_500 }, () => store.insert(anInsertion())));
    expect(Math.max(...flushes.map(({ ids }) => ids.length))).toBeLessThanOrEqual(250);
    expect(database.rows.size).toBe(1_500);
  });
});

describe('one bad row', () => {
  test('among 250 costs two flushes for each halving, and the next flush of its lane comes right after', async () => {
    const store = open();
    const ids = idsOfOneLane(250);
    const bad = ids.map((id, index) =>
      store.insert(anInsertion({ id }, index === 101 ? { wake: { kind: 'none' } } : {})),
    );
    await time.settle();
    const unrelated = store.insert(anInsertion({ id: anId('00000000-0000-4000-8000-000000000000') }));
    expect((await Promise.all(bad)).filter(({ kind }) => kind === 'written')).toHaveLength(249);
    expect((await unrelated).kind).toBe('written');
    expect(flushes[0]?.ids).toHaveLength(250);
    expect(flushes.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(250)) + 1 + 1);
  });
});

describe('a flush whose answer was lost', () => {
  test('is answered written when it had been committed, and is not applied twice', async () => {
    const store = open();
    const id = anId();
    script = ['lose-answer'];
    const inserting = store.insert(anInsertion({ id }));
    await time.advance(1_000);
    expect(await inserting).toMatchObject({ kind: 'written', row: { version: 1 } });
    script = ['lose-answer'];
    const writing = store.write(aWrite(1, aChange({ id, attempts: 1 })));
    await time.advance(1_000);
    expect(await writing).toMatchObject({ kind: 'written', row: { version: 2, attempts: 1 } });
    expect(database.rows.get(id)?.row.version).toBe(2);
  });

  test('is committed by the next try when it had not been', async () => {
    const store = open();
    script = ['fail', 'fail', 'conflict', 'fail'];
    const inserting = store.insert(anInsertion());
    await time.advance(10_000);
    expect(await inserting).toMatchObject({ kind: 'written', row: { version: 1 } });
    expect(flushes).toHaveLength(5);
  });

  test('is answered stale or exists when somebody else wrote on top of it', async () => {
    const store = open();
    const other = memoryStore({ clock: time.clock, timers: time.timers, database });
    const [first, second] = twoOfOneLane();
    await store.insert(anInsertion({ id: first }));
    script = ['lose-answer'];
    const writing = store.write(aWrite(1, aChange({ id: first, attempts: 1 })));
    const inserting = store.insert(anInsertion({ id: second }));
    await time.settle();
    expect(await other.write(aWrite(2, aChange({ id: first, attempts: 7 })))).toMatchObject({
      kind: 'written',
    });
    expect(await other.write(aWrite(1, aChange({ id: second, attempts: 7 })))).toMatchObject({
      kind: 'written',
    });
    await time.advance(1_000);
    expect(await writing).toEqual({ kind: 'stale' });
    expect(await inserting).toEqual({ kind: 'exists' });
    expect(database.rows.get(first)?.row).toMatchObject({ version: 3, attempts: 7 });
  });

  test('keeps the next operation of the same key waiting until its fate is known', async () => {
    const store = open();
    const id = anId();
    script = ['lose-answer', 'fail'];
    const inserting = store.insert(anInsertion({ id }));
    const writing = store.write(aWrite(1, aChange({ id, attempts: 1 })));
    await time.advance(1_000);
    expect((await inserting).kind).toBe('written');
    expect(await writing).toMatchObject({ kind: 'written', row: { version: 2 } });
  });

  test('quarantines a bad row once, also when that answer is lost', async () => {
    const store = open();
    const [first, second] = twoOfOneLane();
    script = ['lose-answer', 'done', 'lose-answer', 'done', 'lose-answer'];
    const bad = store.insert(anInsertion({ id: first }, { wake: { kind: 'none' } }));
    const good = store.insert(anInsertion({ id: second }));
    await time.advance(10_000);
    expect((await bad).kind).toBe('quarantined');
    expect((await good).kind).toBe('written');
    expect(database.quarantine.size).toBe(1);
  });
});

describe('an outage', () => {
  test('is told when it begins and when it ends, and its pauses are bounded', async () => {
    const store = open();
    script = Array.from({ length: 30 }, () => 'fail' as const);
    const beganMs = time.clock.nowMs();
    const inserting = store.insert(anInsertion());
    await time.advance(5_000);
    expect(outages).toEqual([beganMs]);
    const triesBefore = flushes.length;
    await time.advance(20_000);
    expect(flushes.length - triesBefore).toBeGreaterThanOrEqual(9);
    await time.advance(60_000);
    expect((await inserting).kind).toBe('written');
    expect(outages).toEqual([beganMs, null]);
  });

  test('ends with STATE_CLOSED for those who wait when the store closes', async () => {
    const store = open();
    script = Array.from({ length: 1_000 }, () => 'fail' as const);
    const [first] = twoOfOneLane();
    const inFlight = store.insert(anInsertion({ id: first }));
    const waiting = store.write(aWrite(1, aChange({ id: first })));
    const failures = Promise.all(
      [inFlight, waiting].map((answer) => answer.catch((error: unknown) => error)),
    );
    await time.advance(500);
    await store.close();
    for (const failure of await failures) expect(failure).toMatchObject({ code: 'STATE_CLOSED' });
    await expect(store.drainMarks()).resolves.toBeUndefined();
  });
});

describe('marks', () => {
  const final = () => anInsertion({ status: 'Sent', final: 'accepted', outcome: anOutcome(), outcomeSeq: 1 });
  const isMarked = (id: ReturnType<typeof anId>) => database.rows.get(id)?.row.publishedSeq === 1;

  test('leave alone after the delay when nothing takes them along', async () => {
    const store = open();
    const insertion = final();
    await store.insert(insertion);
    store.mark(insertion.change.next.id, 1);
    await time.advance(MARK_DELAY_MS - 1);
    expect(flushes).toHaveLength(1);
    await time.advance(1);
    expect(isMarked(insertion.change.next.id)).toBe(true);
    expect(flushes).toHaveLength(2);
  });

  test('ride along with the next flush of their lane', async () => {
    const store = open();
    const [first, second] = twoOfOneLane();
    await store.insert(anInsertion({ ...final().change.next, id: first }));
    store.mark(first, 1);
    await store.insert(anInsertion({ id: second }));
    expect(isMarked(first)).toBe(true);
    expect(flushes.at(-1)?.ids).toEqual([second, first]);
  });

  test('are drained through an outage, and those of a lost answer count', async () => {
    const store = open();
    const insertion = final();
    await store.insert(insertion);
    store.mark(insertion.change.next.id, 1);
    script = ['fail', 'lose-answer'];
    const draining = store.drainMarks();
    await time.advance(1_000);
    await draining;
    expect(isMarked(insertion.change.next.id)).toBe(true);
  });

  test('that are under way are waited for by a drain', async () => {
    const store = open();
    const insertion = final();
    await store.insert(insertion);
    let release: () => void = () => undefined;
    beforeNext = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    store.mark(insertion.change.next.id, 1);
    await time.advance(MARK_DELAY_MS);
    let isDrained = false;
    const draining = store.drainMarks().then(() => {
      isDrained = true;
    });
    await time.settle();
    expect(isDrained).toBe(false);
    release();
    await draining;
    expect(isMarked(insertion.change.next.id)).toBe(true);
  });

  test('wait for a flush of their own when their key is being written', async () => {
    const store = open();
    const insertion = final();
    const { id } = insertion.change.next;
    await store.insert(insertion);
    store.mark(id, 1);
    const reading = store.write(
      aWrite(1, { ...insertion.change, next: { ...insertion.change.next, readAtMs: 1 } }),
    );
    await store.drainMarks();
    expect(await reading).toMatchObject({ kind: 'written', row: { readAtMs: 1 } });
    expect(database.rows.get(id)?.row).toMatchObject({ publishedSeq: 1, readAtMs: 1, wakeAtMs: null });
  });

  test('are given up silently when the store closes: the row still owes', async () => {
    const store = open();
    const insertion = final();
    await store.insert(insertion);
    store.mark(insertion.change.next.id, 1);
    await store.close();
    await time.advance(10 * MARK_DELAY_MS);
    expect(isMarked(insertion.change.next.id)).toBe(false);
  });
});
