// After the faults: everything must come to rest by itself (L1, L2), and reading all inputs again from the start must change nothing (S11).
import type { Notification } from '../domain/notification.ts';
import type { ParkedWebhook } from '../domain/provider-webhook.ts';
import { lastLine } from '../domain/trail.ts';
import { messageKey } from '../state/memory-database.ts';
import type { Stage } from './stage.ts';
import { isSomethingLeftAlone, putBackWhatIsLeftAlone } from './workload/left-alone.ts';

const REST_WITHIN_MS = 30 * 60_000;
/** Every so many schedules read everything again. */
const REPLAY_ONE_IN = 8;

export async function comeToRest(stage: Stage, isOver: () => boolean): Promise<void> {
  const { world, fleet } = stage;
  if (fleet.living().length === 0) fleet.start(0, 0);
  const cancel = putBackWhatIsLeftAlone(stage);
  await world.time.run(
    world.time.nowMs() + REST_WITHIN_MS,
    () => isOver() || (world.time.planned() === 0 && unrest(stage) === null),
  );
  cancel();
  const left = isOver() ? null : unrest(stage);
  if (left !== null) world.violate('L1 everything comes to rest', left);
}

/** What is not at rest; null when everything is. */
export function unrest(stage: Stage): string | null {
  const { database, asked } = stage;
  if (isSomethingLeftAlone(stage)) return 'a record is left alone';
  for (const { id } of asked.values()) {
    const row = database.rows.get(id)?.row;
    if (row === undefined) return `${id} has no row`;
    const open = openIn(row);
    if (open !== null) return `${id} ${open}`;
  }
  const open = [...database.parked.values()].find(({ webhook }) => isJoinable(stage, webhook));
  return open === undefined ? lagOf(stage) : `a report of ${open.webhook.providerMessageId} is parked`;
}

/** A message that no row knows waits for the end of its time. */
function isJoinable(
  { database }: Stage,
  { notificationId, provider, providerMessageId }: ParkedWebhook,
): boolean {
  if (notificationId !== null) return database.rows.has(notificationId);
  return (
    providerMessageId !== null &&
    database.messages.has(messageKey({ provider, messageId: providerMessageId }))
  );
}

function openIn(row: Notification): string | null {
  if (row.publishedSeq < row.outcomeSeq) return `owes outcome ${row.outcomeSeq}`;
  if (row.final !== null) return row.wakeAtMs === null ? null : 'is final and still wakes';
  return row.hold === null ? `is not final: ${row.status}, ${lastLine(row.trail)}` : `is held: ${row.hold}`;
}

function lagOf({ broker, topics, fleet }: Stage): string | null {
  if (!broker.group.isStable()) return 'the group is not stable';
  for (const { processor } of fleet.living())
    if ((processor?.inFlight() ?? 1) > 0) return 'work is in flight';
  for (const topic of topics.inputs)
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
  fleet.killAll();
  if (world.time.nowMs() % PURGE_ONE_IN === 0) await purgeEverything(stage, isOver);
  const before = leftBehind(stage);
  const calls = ledger.calls.length;
  for (const topic of topics.inputs)
    for (let partition = 0; partition < broker.partitions.partitions; partition += 1)
      broker.group.reset({ topic, partition }, 0);
  fleet.start(0, 0);
  await comeToRest(stage, isOver);
  if (isOver()) return;
  if (ledger.calls.length > calls) world.violate(REPLAY, 'a provider was called');
  for (const [what, after] of leftBehind(stage))
    if (before.get(what) !== after) world.violate(REPLAY, `${what} was ${before.get(what)} and is ${after}`);
}

/** Half of what is read again meets tombstones. */
const PURGE_ONE_IN = 2 * REPLAY_ONE_IN;

/** Everything is over: a process that keeps nothing shrinks every row, and is gone. */
async function purgeEverything(stage: Stage, isOver: () => boolean): Promise<void> {
  const { world, database, fleet } = stage;
  const kept = () => [...database.rows.values()].filter(({ content }) => content !== null);
  world.tell('operator', () => `has ${kept().length} rows purged first`);
  fleet.conditions.keepsNothing = true;
  fleet.start(0, 0);
  await world.time.run(world.time.nowMs() + PURGED_WITHIN_MS, () => isOver() || kept().length === 0);
  fleet.killAll();
  fleet.conditions.keepsNothing = false;
  const [left] = kept();
  if (left !== undefined && !isOver()) world.violate('what is old is purged', `${left.row.id} is whole`);
}

/** A few passes of a process that has to start first. */
const PURGED_WITHIN_MS = 60_000;

const REPLAY = 'S11 replay is a no-op';

/** Every field of every row, and every outcome, by name. */
function leftBehind({ database, broker, topics }: Stage): ReadonlyMap<string, string> {
  const left = new Map<string, string>();
  for (const { row } of database.rows.values())
    for (const [name, value] of Object.entries(row)) left.set(`${name} of ${row.id}`, JSON.stringify(value));
  for (const { key, headers } of broker.partitions.all(topics.dispatched))
    left.set(`outcome ${Buffer.from(headers['ce_id'] ?? []).toString()}`, Buffer.from(key ?? []).toString());
  return left;
}
