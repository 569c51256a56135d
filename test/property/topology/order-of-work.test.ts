// Orders of work that hold for any sequence: the watermark, the lanes, the heap.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { lanes } from '../../../src/topology/lanes.ts';
import { wakeHeap } from '../../../src/topology/wake-heap.ts';
import { watermark } from '../../../src/topology/watermark.ts';

/** What may be committed: behind the last record before the first open one. */
function behindTheDone(taken: readonly number[], open: ReadonlySet<number>): number | null {
  const firstOpen = taken.findIndex((offset) => open.has(offset));
  const lastDone = taken[(firstOpen === -1 ? taken.length : firstOpen) - 1];
  return lastDone === undefined ? null : lastDone + 1;
}

test('the watermark is the lowest offset that is not done, whatever the order of ends', () => {
  const offsets = fc
    .uniqueArray(fc.nat(10_000), { minLength: 1, maxLength: 60 })
    .map((list) => list.sort((a, b) => a - b));
  const runs = offsets.chain((taken) => fc.tuple(fc.constant(taken), fc.shuffledSubarray(taken)));
  fc.assert(
    fc.property(runs, ([taken, ends]) => {
      const marks = watermark();
      for (const offset of taken) marks.taken(offset);
      const open = new Set(taken);
      let committed: number | null = null;
      for (const offset of ends) {
        marks.done(offset);
        open.delete(offset);
        const reached = behindTheDone(taken, open);
        expect(marks.committable()).toBe(reached === committed ? null : reached);
        // Every third offset comes with a commit.
        if (offset % 3 !== 0 || reached === null) continue;
        marks.committed(reached);
        committed = reached;
      }
    }),
  );
});

test('work of one key runs in the order it came, one at a time, whatever the others do', async () => {
  const pieces = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), takesMs: fc.nat(50) }), {
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(pieces, async (work) => {
      const time = virtualTime(0);
      const ended = new Map<string, number[]>();
      const running = new Set<string>();
      const all = lanes(
        systemClock,
        1_000,
        () => undefined,
        (bug) => {
          throw bug;
        },
      );
      for (const [index, { key, takesMs }] of work.entries())
        all.run(key, async () => {
          expect(running.has(key)).toBe(false);
          running.add(key);
          await new Promise<void>((resolve) => void time.timers.after(takesMs, resolve));
          running.delete(key);
          ended.set(key, [...(ended.get(key) ?? []), index]);
        });
      await time.advance(5_000);
      expect(all.inFlight()).toBe(0);
      expect([...ended.values()].flat()).toHaveLength(work.length);
      for (const order of ended.values()) expect(order).toEqual([...order].sort((a, b) => a - b));
    }),
    { numRuns: 50 },
  );
});

test('the heap wakes everything in the order of due times, never early, but for what was forgotten', async () => {
  const entries = fc.array(
    fc.record({ dueAtMs: fc.nat(2_000), addedAtMs: fc.nat(1_000), isForgotten: fc.boolean() }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(entries, async (planned) => {
      const time = virtualTime(0);
      const heap = wakeHeap(time, 1_000);
      const lost = {};
      const woken: { dueAtMs: number; nowMs: number }[] = [];
      for (const { dueAtMs, addedAtMs, isForgotten } of planned)
        time.timers.after(addedAtMs, () =>
          heap.add(dueAtMs, isForgotten ? lost : {}, () => {
            woken.push({ dueAtMs, nowMs: time.clock.nowMs() });
            expect(isForgotten && time.clock.nowMs() > 1_000).toBe(false);
          }),
        );
      await time.advance(1_000);
      heap.forget(lost);
      await time.advance(3_000);
      expect(woken.every(({ dueAtMs, nowMs }) => nowMs >= dueAtMs)).toBe(true);
      expect(woken.filter(({ nowMs }) => nowMs > 1_000).map(({ dueAtMs }) => dueAtMs)).toEqual(
        woken
          .filter(({ nowMs }) => nowMs > 1_000)
          .map(({ dueAtMs }) => dueAtMs)
          .sort((a, b) => a - b),
      );
      const kept = planned.filter(({ isForgotten }) => !isForgotten);
      expect(woken.length).toBeGreaterThanOrEqual(kept.length);
      expect(heap.size()).toBe(0);
    }),
    { numRuns: 50 },
  );
});
