// "Is it stuck, or only waiting?" Delay is not lag: a retry tier is told apart into waiting (its delay is not over), due and oldest due.
// Two sources, both cheap whatever the backlog: offsets and times of the log (per tier, no record is read), and counts of the rows (exact
// by the store's clock). A tier counts from its own delay: a wake-up with a rest (jitter) counts there as due while it waits in a
// processor's memory, at most a minute. Only `overdue` of the rows is late for certain.
import type { LogAdmin, PartitionLag } from '../broker/log.ts';
import type { RetryTier, Topics } from '../streams/topics.ts';
import { type OffsetsAt, oldestRecordAges } from './oldest-record-age.ts';

export type LagSource = Pick<LogAdmin, 'lag' | 'offsetsAt'>;

interface PartitionReport {
  readonly topic: string;
  readonly partition: number;
  /** null: the group has committed nothing here. */
  readonly committed: number | null;
  readonly end: number;
  readonly lag: number;
  /** At least this old is the first record that is not finished; null: none is waiting, or unknown. */
  readonly oldestMs: number | null;
}

interface TierReport {
  readonly tier: string;
  readonly waiting: number;
  readonly due: number;
  /** How long ago the delay of the oldest due one was over, ms; null: none is due. */
  readonly oldestDueMs: number | null;
}

/** `Rows`: what the table says about the same moment (src/state/notification-counts.ts), passed on as it is. */
export interface LagReport<Rows> {
  /** Topics that are worked on as they come. */
  readonly inputs: readonly PartitionReport[];
  readonly tiers: readonly TierReport[];
  readonly rows: Rows;
}

/** `nowMs`: the brokers' time, as far as it is known. @throws Fault LOG_UNAVAILABLE (retriable) */
export async function lagReport<Rows>(
  source: LagSource,
  topics: Topics,
  rows: Rows,
  nowMs: number,
): Promise<LagReport<Rows>> {
  const byTopic = new Map<string, PartitionLag[]>(topics.inputs.map((name) => [name, []]));
  for (const lag of await source.lag(topics.groupId, topics.inputs)) byTopic.get(lag.topic)?.push(lag);
  const inputs: PartitionReport[] = [];
  for (const topic of [topics.requested, topics.webhooks, topics.commands])
    inputs.push(...(await inputReports(source.offsetsAt, topic, byTopic.get(topic) ?? [], nowMs)));
  const tiers: TierReport[] = [];
  for (const tier of topics.tiers)
    tiers.push(await tierReport(source.offsetsAt, tier, byTopic.get(tier.topic) ?? [], nowMs));
  return { inputs, tiers, rows };
}

async function inputReports(
  offsetsAt: OffsetsAt,
  topic: string,
  partitions: readonly PartitionLag[],
  nowMs: number,
): Promise<readonly PartitionReport[]> {
  const ages = await oldestRecordAges(offsetsAt, topic, partitions, nowMs);
  return partitions.map((lag) => ({
    topic,
    partition: lag.partition,
    committed: lag.committed,
    end: lag.end,
    lag: lag.end - firstUnfinished(lag),
    oldestMs: ages.get(lag.partition) ?? null,
  }));
}

/** Within a partition of a tier every record has the same delay, so one offset divides the due ones from the waiting ones. */
async function tierReport(
  offsetsAt: OffsetsAt,
  tier: RetryTier,
  partitions: readonly PartitionLag[],
  nowMs: number,
): Promise<TierReport> {
  const unfinished = partitions.filter((lag) => firstUnfinished(lag) < lag.end);
  if (unfinished.length === 0) return { tier: tier.name, waiting: 0, due: 0, oldestDueMs: null };
  const dueUntil = await offsetsAt(tier.topic, nowMs - tier.delayMs + 1);
  const dueOf = (lag: PartitionLag) =>
    Math.max(0, (dueUntil.get(lag.partition) ?? lag.end) - firstUnfinished(lag));
  const due = sum(unfinished.map(dueOf));
  const waiting = sum(unfinished.map((lag) => lag.end - firstUnfinished(lag))) - due;
  if (due === 0) return { tier: tier.name, waiting, due, oldestDueMs: null };
  const ages = await oldestRecordAges(
    offsetsAt,
    tier.topic,
    unfinished.filter((lag) => dueOf(lag) > 0),
    nowMs,
  );
  return {
    tier: tier.name,
    waiting,
    due,
    oldestDueMs: Math.max(0, Math.max(...ages.values()) - tier.delayMs),
  };
}

function firstUnfinished(lag: PartitionLag): number {
  return Math.max(lag.committed ?? lag.start, lag.start);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
