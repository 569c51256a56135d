// AC4 with the retry worker's lock: the process that holds it stands still, or dies, in the middle of its pass. What rests in the table has
// no wake-up in any topic, so that nobody but the worker can bring it on. The judge is Postgres' own list of locks, the vendor's ledger,
// the topics and the table.
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { newNotification } from '../../src/domain/admission.ts';
import type { NotificationId } from '../../src/domain/notification-id.ts';
import { systemIds } from '../../src/runtime/ids.ts';
import { SWEEP_LOCK } from '../../src/topology/sweep.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type PinProcess, startProcessorAmong } from '../support/pin-process.ts';
import { openRealWorld, type RealWorld } from '../support/real-service.ts';
import { type Seen, seenRecords } from '../support/seen-records.ts';
import { until } from '../support/until.ts';

const ROWS = 60;
const HOUR_MS = 3_600_000;
const LIMIT_MS = 90_000;
const TEST_LIMIT_MS = 240_000;
/** One by the pass that was interrupted, one by its successor's. */
const MAX_WAKE_UPS = 2;

let world: RealWorld;
let retries: Seen;
let gate: pg.Client;
let started: PinProcess[] = [];

afterEach(async () => {
  for (const one of started) if (!one.hasEnded()) process.kill(one.pid, 'SIGCONT');
  await Promise.all(started.map((one) => one.end('SIGKILL')));
  started = [];
  await gate.end();
  await retries.stop();
  await world.stop();
});

test.each(['SIGSTOP', 'SIGKILL'] as const)(
  'AC4 %s in the middle of a pass of the retry worker: a successor takes the lock, each row is sent once',
  async (signal) => {
    await open();
    const ids = await restingRows();
    const holder = await start();
    // The pass takes the lock and then waits for the table.
    await gate.query('begin; lock table notifications in access exclusive mode');
    await gate.query(`update notifications set wake_at = now() - interval '1 second'`);
    const held = await until(
      () => 'a pass that holds the lock and waits for the table',
      async () => ((await isWaiting()) ? lockHolder() : null),
      LIMIT_MS,
    );
    process.kill(holder.pid, signal);
    await gate.query('commit');
    expect(world.vendor.ledger.calls).toEqual([]);
    if (signal === 'SIGSTOP') expect(await lockHolder()).toBe(held);

    const successors = [await start(), await start()];
    await until(
      () => 'the first call',
      () => (world.vendor.ledger.calls.length > 0 ? true : null),
      LIMIT_MS,
    );
    // Nobody woke anything while the old session still had the lock.
    expect(await sessionsOf(held)).toBe(0);
    await allSent(ids);
    if (signal === 'SIGSTOP') await goOn(holder);

    const later = Array.from({ length: 20 }, () => freshRequest());
    await Promise.all(later.map((request) => world.send(request)));
    await allSent([...ids, ...later.map(({ notificationId }) => notificationId)]);
    expect(successors.some((one) => one.hasEnded())).toBe(false);
    expect(await findings(ids)).toEqual([]);
  },
  TEST_LIMIT_MS,
);

async function open(): Promise<void> {
  world = await openRealWorld({ variables: { PIN_SWEEP_PERIOD: '1s' } });
  retries = await seenRecords(
    world.servers.log,
    world.topics.tiers.map(({ topic }) => topic),
  );
  const { url, schema } = world.config.database;
  gate = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await gate.connect();
}

/** As processes leave them that died between the commit and the wake-up's record; not due yet. */
async function restingRows(): Promise<readonly NotificationId[]> {
  const requests = Array.from({ length: ROWS }, () => freshRequest());
  for (const request of requests)
    await world.servers.store.insert({
      change: {
        ...{ next: newNotification(request), isNextAttempt: false, trail: 'left' },
        wake: { kind: 'after', waitMs: HOUR_MS, inLog: false },
      },
      content: { request, payloadHash: 'p', recipientHash: 'r', traceparent: null },
      writeToken: systemIds.uuid(),
    });
  return requests.map(({ notificationId }) => notificationId);
}

function start(): Promise<PinProcess> {
  return startProcessorAmong(started, world.environment.variables);
}

/** The session that holds the worker's lock, by Postgres' own word. */
async function lockHolder(): Promise<number | null> {
  const [row] = await world.query(
    `select pid from pg_locks where locktype = 'advisory' and granted
  and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
    [`${world.config.database.schema}:${SWEEP_LOCK}`],
  );
  return row === undefined ? null : Number(row['pid']);
}

async function isWaiting(): Promise<boolean> {
  const rows = await world.query(
    `select 1 from pg_locks join pg_stat_activity using (pid)
  where not granted and relation = 'notifications'::regclass and query like '%wake_in_log%'`,
  );
  return rows.length > 0;
}

async function sessionsOf(pid: number): Promise<number> {
  return (await world.query('select 1 from pg_stat_activity where pid = $1', [pid])).length;
}

async function allSent(ids: readonly NotificationId[]): Promise<void> {
  const missing = () => ids.filter((id) => world.seen.of(world.topics.dispatched, id).length === 0);
  await until(
    () => `outcomes of ${missing().length} of ${ids.length}`,
    () => (missing().length === 0 ? true : null),
    LIMIT_MS,
  );
}

/** The old holder wakes up in the middle of its pass, and works on as a member of the group. */
async function goOn(holder: PinProcess): Promise<void> {
  const before = holder.logLines().length;
  process.kill(holder.pid, 'SIGCONT');
  const said = () => holder.logLines().slice(before);
  await until(
    () => `the old holder joins again; it said ${said().join('\n')}`,
    () => (said().some((line) => line.includes('"state":"running"')) ? true : null),
    LIMIT_MS,
  );
}

async function findings(ids: readonly NotificationId[]): Promise<readonly string[]> {
  const rows = await world.query('select id, status, final, outcome_seq from notifications');
  const rowOf = new Map(rows.map((row) => [String(row['id']), row]));
  return ids.flatMap((id) => {
    const row = rowOf.get(id);
    const count = (list: readonly { readonly reference: string }[]) =>
      list.filter(({ reference }) => reference === id).length;
    // Until its mark is committed an outcome may be published again, with the same bytes.
    const outcomes = new Set(
      world.seen.of(world.topics.dispatched, id).map(({ value }) => Buffer.from(value ?? []).toString('hex')),
    ).size;
    const wakeUps = world.topics.tiers.flatMap(({ topic }) => retries.of(topic, id)).length;
    const isSent = row?.['status'] === 'Sent' && row['final'] === 'accepted' && row['outcome_seq'] === 1;
    return [
      ...(count(world.vendor.ledger.messages) === 1 ? [] : [`${id}: not one message`]),
      ...(count(world.vendor.ledger.calls) === 1 ? [] : [`${id}: not one call`]),
      ...(outcomes === 1 ? [] : [`${id}: ${outcomes} different outcomes`]),
      ...(wakeUps >= 1 && wakeUps <= MAX_WAKE_UPS ? [] : [`${id}: ${wakeUps} wake-ups`]),
      ...(isSent ? [] : [`${id}: ${String(row?.['status'])} ${String(row?.['final'])}`]),
    ];
  });
}
