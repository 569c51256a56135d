// Marks against whoever writes the same row: published_seq never goes back, and the wake-up of a newer outcome or cycle stays.
import { afterEach, describe, expect, test } from 'vitest';
import { type InterleavingWorld, touchOn, writeOn } from './interleaving-world.ts';
import { anOutcome } from './state-builders.ts';

const REOPENED = { status: 'Failed', final: null, publishedSeq: 1 } as const;

export function markInterleavings(world: InterleavingWorld): void {
  describe('marks', () => {
    // The table's constraints would refuse a mark that does harm; it must not come to that.
    afterEach(async () => expect(await world.quarantined()).toEqual([]));
    againstReopening(world);
    againstNewerOutcome(world);
    againstUnknowingWrites(world);
  });
}

function againstReopening(world: InterleavingWorld): void {
  describe('mark against a reopening', () => {
    test('that waits for the mark: the new timer stays', async () => {
      const [marker, writer] = [await world.process(), await world.process()];
      const row = await world.finalRow(marker);
      const held = marker.hold('before-commit');
      marker.store.mark(row.id, 1);
      const marking = marker.store.drainMarks();
      await held.reached;
      const reopening = writer.store.write(writeOn(row, REOPENED));
      await writer.waits();
      held.release();
      await marking;
      const answer = await reopening;
      const reopened = await world.loaded(writer, row.id);
      expect(answer).toEqual({ kind: 'written', row: reopened });
      expect(reopened.wakeAtMs).toEqual(expect.any(Number));
      expect(await world.row(row.id)).toMatchObject({
        ...{ version: 2, final: null, publishedSeq: 1, wakeSeq: 2, wakeInLog: true },
        wakeAtMs: reopened.wakeAtMs,
      });
    });

    test('that the mark waits for: the new timer stays', async () => {
      const [marker, writer] = [await world.process(), await world.process()];
      const row = await world.finalRow(marker);
      const held = writer.hold('before-commit');
      const reopening = writer.store.write(writeOn(row, REOPENED));
      await held.reached;
      marker.store.mark(row.id, 1);
      const marking = marker.store.drainMarks();
      await marker.waits();
      held.release();
      await marking;
      const answer = await reopening;
      expect(answer).toMatchObject({ kind: 'written', row: { wakeAtMs: expect.any(Number) as number } });
      expect(await world.row(row.id)).toMatchObject({
        ...{ version: 2, final: null, publishedSeq: 1, wakeSeq: 2, wakeInLog: true },
        wakeAtMs: answer.kind === 'written' ? answer.row.wakeAtMs : null,
      });
    });
  });
}

function againstNewerOutcome(world: InterleavingWorld): void {
  describe('mark against a newer outcome', () => {
    const decided = { outcome: anOutcome({ seq: 2 }), outcomeSeq: 2, publishedSeq: 1 } as const;

    test('of the older one, waiting for that write or arriving late, leaves the debt and its wake-up', async () => {
      const [waiting, late, writer] = [await world.process(), await world.process(), await world.process()];
      const row = await world.finalRow(writer);
      const heldLate = late.hold('before-statements');
      late.store.mark(row.id, 1);
      const arriving = late.store.drainMarks();
      const heldWriter = writer.hold('before-commit');
      const deciding = writer.store.write(writeOn(row, decided));
      await Promise.all([heldLate.reached, heldWriter.reached]);
      waiting.store.mark(row.id, 1);
      const marking = waiting.store.drainMarks();
      await waiting.waits();
      heldWriter.release();
      await Promise.all([marking, deciding]);
      heldLate.release();
      await arriving;
      expect(await world.row(row.id)).toMatchObject({
        ...{
          version: 2,
          outcomeSeq: 2,
          publishedSeq: 1,
          wakeInLog: true,
          wakeAtMs: expect.any(Number) as number,
        },
      });
    });

    test('an older mark that waits for a newer one, or arrives after it, takes nothing back', async () => {
      const [newer, waiting, late] = [await world.process(), await world.process(), await world.process()];
      const row = await world.finalRow(newer, { ...decided, publishedSeq: 0 });
      const heldLate = late.hold('before-statements');
      late.store.mark(row.id, 1);
      const arriving = late.store.drainMarks();
      const heldNewer = newer.hold('before-commit');
      newer.store.mark(row.id, 2);
      const marking = newer.store.drainMarks();
      await Promise.all([heldLate.reached, heldNewer.reached]);
      waiting.store.mark(row.id, 1);
      const second = waiting.store.drainMarks();
      await waiting.waits();
      heldNewer.release();
      await Promise.all([marking, second]);
      heldLate.release();
      await arriving;
      expect(await world.row(row.id)).toMatchObject({
        ...{ version: 1, outcomeSeq: 2, publishedSeq: 2, wakeInLog: false, wakeAtMs: null },
      });
    });
  });
}

function againstUnknowingWrites(world: InterleavingWorld): void {
  describe('mark against a write that knows nothing of it', () => {
    test('in front of it: the write neither takes the mark back nor brings the wake-up again', async () => {
      const [marker, reader] = [await world.process(), await world.process()];
      const row = await world.finalRow(marker);
      const held = reader.hold('before-statements');
      const touching = reader.store.write(touchOn(row, 7));
      await held.reached;
      marker.store.mark(row.id, 1);
      await marker.store.drainMarks();
      held.release();
      expect(await touching).toMatchObject({
        kind: 'written',
        row: { version: 2, publishedSeq: 1, wakeAtMs: null },
      });
      expect(await world.row(row.id)).toMatchObject({
        ...{ version: 2, readAtMs: 7, publishedSeq: 1, wakeAtMs: null, wakeInLog: false },
      });
    });

    test('under way: the write waits for the mark and keeps it', async () => {
      const [marker, reader] = [await world.process(), await world.process()];
      const row = await world.finalRow(marker);
      const held = marker.hold('before-commit');
      marker.store.mark(row.id, 1);
      const marking = marker.store.drainMarks();
      await held.reached;
      const touching = reader.store.write(touchOn(row, 7));
      await reader.waits();
      held.release();
      await marking;
      expect(await touching).toMatchObject({
        kind: 'written',
        row: { version: 2, publishedSeq: 1, wakeAtMs: null },
      });
      expect(await world.row(row.id)).toMatchObject({
        version: 2,
        readAtMs: 7,
        publishedSeq: 1,
        wakeAtMs: null,
      });
    });
  });
}
