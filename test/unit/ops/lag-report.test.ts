import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PartitionLag } from '../../../src/broker/log.ts';
import { type LagSource, lagReport } from '../../../src/ops/lag-report.ts';
import { oldestRecordAges } from '../../../src/ops/oldest-record-age.ts';
import { topicsOf } from '../../../src/streams/topics.ts';
import { START_MS as NOW_MS } from './a-row.ts';

const topics = topicsOf({ tierDelaysMs: [30_000] });
const tierTopic = topics.tiers[0]?.topic ?? '';
const counts = { overdue: 3 };

interface Partition {
  readonly committed: number | null;
  /** Age of each record at offsets 0, 1, …, oldest first. */
  readonly agesMs: readonly number[];
}

/** A log that knows the time of each of its records. */
function logOf(contents: Readonly<Record<string, readonly Partition[]>>): LagSource & { asked: number } {
  const lags = Object.entries(contents).flatMap(([topic, partitions]) =>
    partitions.map(
      ({ committed, agesMs }, partition): PartitionLag => ({
        topic,
        partition,
        committed,
        start: 0,
        end: agesMs.length,
      }),
    ),
  );
  const source = {
    asked: 0,
    lag: () => Promise.resolve(lags),
    offsetsAt: (topic: string, atMs: number) => {
      source.asked += 1;
      const partitions = contents[topic] ?? [];
      const entries = partitions.map(({ agesMs }, partition) => {
        const first = agesMs.findIndex((ageMs) => NOW_MS - ageMs >= atMs);
        return [partition, first === -1 ? agesMs.length : first] as const;
      });
      return Promise.resolve(new Map(entries));
    },
  };
  return source;
}

describe('lagReport', () => {
  it('tells waiting, due and oldest due of a tier apart', async () => {
    const log = logOf({
      [tierTopic]: [
        { committed: 1, agesMs: [90_000, 60_000, 30_000, 29_999, 10_000] },
        { committed: 0, agesMs: [1_000, 500] },
        { committed: 1, agesMs: [80_000] },
      ],
    });
    const { tiers } = await lagReport(log, topics, counts, NOW_MS);
    expect(tiers).toMatchObject([{ tier: '30s', waiting: 4, due: 2 }]);
    const late = tiers[0]?.oldestDueMs ?? 0;
    expect(late).toBeGreaterThan(30_000 / 1.5 - 15_000);
    expect(late).toBeLessThanOrEqual(30_000);
  });

  it('takes a tier in which nothing is due for healthy, however much waits in it', async () => {
    const log = logOf({
      [tierTopic]: [{ committed: null, agesMs: Array.from({ length: 500 }, () => 29_000) }],
    });
    expect((await lagReport(log, topics, counts, NOW_MS)).tiers).toEqual([
      { tier: '30s', waiting: 500, due: 0, oldestDueMs: null },
    ]);
  });

  it('reports lag and age of each partition of an input', async () => {
    const log = logOf({
      [topics.requested]: [
        { committed: 2, agesMs: [9_000, 8_000, 7_000, 10] },
        { committed: 1, agesMs: [9_000] },
      ],
    });
    const { inputs } = await lagReport(log, topics, counts, NOW_MS);
    expect(inputs.map(({ partition, lag }) => [partition, lag])).toEqual([
      [0, 2],
      [1, 0],
    ]);
    expect(inputs[0]?.oldestMs).toBeGreaterThan(7_000 / 1.5);
    expect(inputs[0]?.oldestMs).toBeLessThanOrEqual(7_000);
    expect(inputs[1]?.oldestMs).toBeNull();
  });

  it('asks the broker for no time where nothing waits', async () => {
    const log = logOf({
      [topics.requested]: [{ committed: 1, agesMs: [5] }],
      [tierTopic]: [{ committed: 0, agesMs: [] }],
    });
    await lagReport(log, topics, counts, NOW_MS);
    expect(log.asked).toBe(0);
  });

  it('passes on what the rows say', async () => {
    expect((await lagReport(logOf({}), topics, counts, NOW_MS)).rows).toBe(counts);
  });
});

describe('oldestRecordAges', () => {
  it('is never above the true age, within a half of it, and takes few questions', async () => {
    const ages = fc.array(fc.integer({ min: 0, max: 6 * 86_400_000 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(ages, fc.nat(19), async (unsorted, position) => {
        const agesMs = [...unsorted].sort((left, right) => right - left);
        const committed = position % agesMs.length;
        const log = logOf({ t: [{ committed, agesMs }] });
        const [lag] = await log.lag('g', ['t']);
        if (lag === undefined) return;
        const found = (await oldestRecordAges(log.offsetsAt, 't', [lag], NOW_MS)).get(0) ?? -1;
        const trueMs = agesMs[committed] ?? 0;
        expect(found).toBeLessThanOrEqual(trueMs);
        expect(found).toBeGreaterThanOrEqual(trueMs < 600 ? 0 : trueMs / 1.51 - 1);
        expect(log.asked).toBeLessThanOrEqual(6);
      }),
    );
  });
});
