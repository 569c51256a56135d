// AC4: tasks change hands while calls are in flight. Three real processes; the judge is the vendor's ledger, the topic and the table.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partitionFor } from '../../src/broker/partitioner.ts';
import type { NotificationId } from '../../src/domain/notification-id.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type PinProcess, startProcessorAmong } from '../support/pin-process.ts';
import { openRealWorld, type RealWorld, testChannel } from '../support/real-service.ts';
import { until } from '../support/until.ts';

const PARTITIONS = 6;
/** So slow that what was in flight a moment ago still is. */
const SLOW_MS = 4_000;
const IN_FLIGHT = 50;
/** Flush 10 s + deadline 6 s + 10 s. */
const SETTINGS = {
  PIN_PARTITIONS: String(PARTITIONS),
  PIN_PROVIDER_VENDOR_DEADLINE: '6s',
  PIN_PROVIDER_VENDOR_CONCURRENCY: '200',
  PIN_LEASE: '26s',
  PIN_SWEEP_PERIOD: '2s',
  PIN_STOP_LIMIT: '10s',
};
const TAKEOVER_LIMIT_MS = 90_000;
const TEST_LIMIT_MS = 240_000;

let world: RealWorld;
const started: PinProcess[] = [];

beforeAll(async () => {
  world = await openRealWorld({ channels: [testChannel('email', { maxAttempts: 20 })], variables: SETTINGS });
});
afterAll(async () => {
  for (const one of started) if (!one.hasEnded()) process.kill(one.pid, 'SIGCONT');
  await Promise.all(started.map((one) => one.end('SIGKILL')));
  await world.stop();
});

test(
  'AC4 a process that is stopped with 50 calls in flight and one that is killed lose nothing and double nothing',
  async () => {
    const [frozen, killed] = [await start(), await start(), await start()];
    await until(
      () => 'all tasks at three processes',
      () => (started.every((one) => tasksOf(one).size === PARTITIONS / 3) ? true : null),
      TAKEOVER_LIMIT_MS,
    );
    const frozenTasks = tasksOf(frozen);
    const ids: NotificationId[] = [];
    const isOfFrozen = (id: string) => frozenTasks.has(partitionOf(id));

    world.vendor.rule(() => ({ kind: 'accept', latencyMs: SLOW_MS }));
    ids.push(...(await send(400)));
    const inFlight = await until(
      () => `${openCalls().filter(isOfFrozen).length} of ${IN_FLIGHT} calls in flight at the process`,
      () => {
        const open = openCalls().filter(isOfFrozen);
        return open.length >= IN_FLIGHT ? open : null;
      },
      TAKEOVER_LIMIT_MS,
    );
    process.kill(frozen.pid, 'SIGSTOP');

    world.vendor.rule(() => ({ kind: 'accept', latencyMs: 300 }));
    const later = (await send(200)).filter(isOfFrozen);
    ids.push(...later);
    await until(
      () => 'the first call of a successor on the tasks of the stopped process',
      () => (later.some((id) => callsOf(id) > 0) ? true : null),
      TAKEOVER_LIMIT_MS,
    );
    // In the middle of the sends that the successors just began.
    await killed.end('SIGKILL');
    await start();
    await until(
      () => `${inFlight.filter((id) => callsOf(id) < 2).length} lost calls not taken over`,
      () => (inFlight.every((id) => callsOf(id) >= 2 || hasEnded(id)) ? true : null),
      TAKEOVER_LIMIT_MS,
    );
    expect(inFlight.filter((id) => callsOf(id) >= 2).length).toBeGreaterThanOrEqual(IN_FLIGHT);
    const linesBefore = frozen.logLines().length;
    process.kill(frozen.pid, 'SIGCONT');
    await until(
      () => `the process that woke joins again; it said ${frozen.logLines().slice(linesBefore).join('\n')}`,
      () => (frozen.logLines().slice(linesBefore).some(isRunning) ? true : null),
      TAKEOVER_LIMIT_MS,
    );
    ids.push(...(await send(100)));

    await until(
      () => `outcomes of ${ids.filter((id) => !hasEnded(id)).length} of ${ids.length}`,
      () => (ids.every(hasEnded) ? true : null),
      TAKEOVER_LIMIT_MS,
    );
    expect(frozen.hasEnded()).toBe(false);
    expect(await findings(ids)).toEqual([]);
    expect(world.deadLetters()).toHaveLength(0);
  },
  TEST_LIMIT_MS,
);

function start(): Promise<PinProcess> {
  return startProcessorAmong(started, world.environment.variables);
}

async function send(count: number): Promise<readonly NotificationId[]> {
  const requests = Array.from({ length: count }, () => freshRequest());
  await Promise.all(requests.map((request) => world.send(request)));
  return requests.map(({ notificationId }) => notificationId);
}

function partitionOf(id: string): number {
  return partitionFor(new TextEncoder().encode(id), PARTITIONS);
}

/** By its own account of what it was given. */
function tasksOf(one: PinProcess): ReadonlySet<number> {
  const tasks = new Set<number>();
  for (const line of one.logLines()) {
    const { event, partition } = JSON.parse(line) as { event: string; partition: number };
    if (event === 'task.assigned') tasks.add(partition);
    if (event === 'task.revoked') tasks.delete(partition);
  }
  return tasks;
}

function isRunning(line: string): boolean {
  const { event, state } = JSON.parse(line) as { event: string; state?: string };
  return event === 'processor.state' && state === 'running';
}

/** References whose call the vendor has and has not answered. */
function openCalls(): readonly string[] {
  const sinceMs = systemClock.nowMs() - SLOW_MS + 500;
  return world.vendor.ledger.calls.filter(({ atMs }) => atMs > sinceMs).map(({ reference }) => reference);
}

function callsOf(id: string): number {
  return world.vendor.ledger.calls.filter(({ reference }) => reference === id).length;
}

function hasEnded(id: string): boolean {
  return world.seen.of(world.topics.dispatched, id).length > 0;
}

async function findings(ids: readonly NotificationId[]): Promise<readonly string[]> {
  const rows = await world.query(
    'select id, status, final, outcome_seq, published_seq, trail from notifications',
  );
  const rowOf = new Map(rows.map((row) => [String(row['id']), row]));
  const messages = new Map<string, number>();
  for (const { reference } of world.vendor.ledger.messages)
    messages.set(reference, (messages.get(reference) ?? 0) + 1);
  return ids.flatMap((id) => {
    const row = rowOf.get(id);
    const claims = String(row?.['trail']).match(/ (claimed|taken-over) /g)?.length ?? 0;
    const outcomes = new Set(
      world.seen.of(world.topics.dispatched, id).map(({ value }) => Buffer.from(value ?? []).toString('hex')),
    );
    const isSent = row?.['status'] === 'Sent' && row['final'] === 'accepted' && row['outcome_seq'] === 1;
    return [
      ...(messages.get(id) === 1 ? [] : [`${id}: ${messages.get(id) ?? 0} messages`]),
      ...(callsOf(id) <= claims ? [] : [`${id}: ${callsOf(id)} calls, ${claims} claims`]),
      ...(outcomes.size === 1 ? [] : [`${id}: ${outcomes.size} different outcomes`]),
      ...(isSent ? [] : [`${id}: ${String(row?.['status'])} ${String(row?.['final'])}`]),
    ];
  });
}
