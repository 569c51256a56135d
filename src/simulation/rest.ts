// After the faults: everything must come to rest by itself (L1, L2), and reading all inputs again from the start must change nothing (S11).
import type { Notification } from '../domain/notification.ts';
import type { Stage } from './stage.ts';

const REST_WITHIN_MS = 30 * 60_000;
/** Every so many schedules read everything again. */
const REPLAY_ONE_IN = 8;

export async function comeToRest(stage: Stage, isOver: () => boolean): Promise<void> {
  const { world, fleet } = stage;
  if (fleet.living().length === 0) fleet.start(0, 0);
  await world.time.run(world.time.nowMs() + REST_WITHIN_MS, () => isOver() || unrest(stage) === null);
  const left = isOver() ? null : unrest(stage);
  if (left !== null) world.violate('L1 everything comes to rest', left);
}

/** What is not at rest; null when everything is. */
export function unrest(stage: Stage): string | null {
  const { database, asked } = stage;
  for (const { id } of asked.values()) {
    const row = database.rows.get(id)?.row;
    if (row === undefined) return `${id} has no row`;
    const open = openIn(row);
    if (open !== null) return `${id} ${open}`;
  }
  return lagOf(stage);
}

function openIn(row: Notification): string | null {
  if (row.publishedSeq < row.outcomeSeq) return `owes outcome ${row.outcomeSeq}`;
  if (row.final !== null) return row.wakeAtMs === null ? null : 'is final and still wakes';
  return row.hold === null
    ? `is not final: ${row.status}, ${row.trail.trimEnd().split('\n').at(-1)}`
    : `is held: ${row.hold}`;
}

function lagOf({ broker, topics, fleet }: Stage): string | null {
  if (!broker.group.isStable()) return 'the group is not stable';
  for (const { processor } of fleet.living())
    if ((processor?.inFlight() ?? 1) > 0) return 'work is in flight';
  for (const topic of [topics.requested, ...topics.tiers.map((tier) => tier.topic)])
    for (let partition = 0; partition < broker.partitions.partitions; partition += 1) {
      const end = broker.partitions.records(topic, partition).length;
      const committed = broker.group.committed({ topic, partition }) ?? 0;
      if (committed < end) return `${topic}/${partition} is read to ${committed} of ${end}`;
    }
  return null;
}

export async function replayEverything(stage: Stage, isOver: () => boolean): Promise<void> {
  const { world, fleet, broker, topics, ledger } = stage;
  if (world.time.nowMs() % REPLAY_ONE_IN !== 0) return;
  world.tell('operator', () => 'has everything read again from the start');
  const before = leftBehind(stage);
  const calls = ledger.calls.length;
  fleet.killAll();
  for (const topic of [topics.requested, ...topics.tiers.map((tier) => tier.topic)])
    for (let partition = 0; partition < broker.partitions.partitions; partition += 1)
      broker.group.reset({ topic, partition }, 0);
  fleet.start(0, 0);
  await comeToRest(stage, isOver);
  if (isOver()) return;
  if (ledger.calls.length > calls) world.violate('S11 replay is a no-op', 'a provider was called');
  const after = leftBehind(stage);
  if (after !== before)
    world.violate('S11 replay is a no-op', `rows or outcomes changed: ${before} became ${after}`);
}

function leftBehind({ database, broker, topics }: Stage): string {
  const rows = [...database.rows.values()].map(({ row }) => row);
  const outcomes = new Set(
    broker.partitions
      .all(topics.dispatched)
      .map(
        ({ key, value }) =>
          `${Buffer.from(key ?? []).toString()} ${Buffer.from(value ?? []).toString('base64')}`,
      ),
  );
  return JSON.stringify([rows, outcomes.size]);
}
