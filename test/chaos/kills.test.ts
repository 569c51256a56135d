// Processes that die, freeze and are told to stop while requests flow, all from one seed. Judged by the vendor's ledger, the topic's
// bytes and the table: nothing lost, nothing twice, one current outcome each. `npm run chaos -- --minutes N --seed S`.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogRecord } from '../../src/broker/log.ts';
import type { NotificationId } from '../../src/domain/notification-id.ts';
import { fractionOf } from '../../src/lab/vendor-plan.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { pause, systemTimers } from '../../src/runtime/timers.ts';
import { decodeDispatched } from '../../src/streams/dispatched.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type PinProcess, startPin } from '../support/pin-process.ts';
import { openRealWorld, type RealWorld, testChannel } from '../support/real-service.ts';
import { until } from '../support/until.ts';

const MINUTE_MS = 60_000;
const minutes = Number(process.env['CHAOS_MINUTES'] ?? '1');
const seed = process.env['CHAOS_SEED'] ?? String(systemClock.nowMs() % 100_000);
const PROCESSES = 3;
const REQUESTS_PER_SECOND = 40;
/** Longer than the session of a member, so that its tasks have changed hands when it wakes. */
const FREEZE_MS = 12_000;
/** Leases and sweeps must have had their turn. */
const QUIET_LIMIT_MS = 4 * MINUTE_MS;

let world: RealWorld;
const running: PinProcess[] = [];
const done = { kill: 0, freeze: 0, stop: 0 };

beforeAll(async () => {
  world = await openRealWorld({
    channels: [testChannel('email', { maxAttempts: 30 })],
    variables: { PIN_PARTITIONS: '6', PIN_LEASE: '25s', PIN_SWEEP_PERIOD: '5s', PIN_STOP_LIMIT: '15s' },
  });
  world.vendor.shares([
    { share: 0.1, answer: { kind: 'error', status: 503, code: 'overloaded', retriable: true } },
    { share: 0.05, answer: { kind: 'cut', when: 'mid-answer' } },
    { share: 0.05, answer: { kind: 'accept', latencyMs: 800 } },
    { share: 0.02, answer: { kind: 'hang', delivers: true } },
  ]);
});
afterAll(async () => {
  await Promise.all(running.map((one) => one.end('SIGKILL')));
  await world.stop();
});

test(
  `nothing is lost and nothing is sent twice, whatever dies (seed ${seed}, ${minutes} min)`,
  async () => {
    for (let n = 0; n < PROCESSES; n += 1) running.push(await start());
    const endMs = systemClock.monotonicMs() + minutes * MINUTE_MS;
    const [ids] = await Promise.all([produceUntil(endMs), disturbUntil(endMs)]);
    await allFinal(ids);
    await audit(ids);
    console.log(
      `chaos seed ${seed}: ${ids.length} requests, ${JSON.stringify(done)}, ${JSON.stringify(world.vendor.ledger.totals)}`,
    );
  },
  minutes * MINUTE_MS + QUIET_LIMIT_MS + 2 * MINUTE_MS,
);

async function start(): Promise<PinProcess> {
  const process = startPin(['run', 'processor'], {
    ...world.environment.variables,
    PIN_HTTP_ADDR: '127.0.0.1:0',
    PIN_LOG_LEVEL: 'info',
  });
  await process.logged('process.started');
  return process;
}

async function produceUntil(endMs: number): Promise<readonly NotificationId[]> {
  const ids: NotificationId[] = [];
  while (systemClock.monotonicMs() < endMs) {
    const batch = Array.from({ length: REQUESTS_PER_SECOND / 10 }, () => freshRequest());
    await Promise.all(batch.map((request) => world.send(request)));
    ids.push(...batch.map(({ notificationId }) => notificationId));
    await pause(systemTimers, 100);
  }
  return ids;
}

/** One disturbance after the other; at least one process is always well. */
async function disturbUntil(endMs: number): Promise<void> {
  for (let step = 0; systemClock.monotonicMs() < endMs; step += 1) {
    const draw = (what: string) => fractionOf(`${seed}/${step}/${what}`);
    await pause(systemTimers, 500 + draw('wait') * 2_500);
    const at = Math.floor(draw('who') * PROCESSES);
    await disturb(at, draw('what'));
  }
}

async function disturb(at: number, draw: number): Promise<void> {
  const victim = running[at];
  if (victim === undefined) return;
  if (draw < 0.2) {
    done.freeze += 1;
    process.kill(victim.pid, 'SIGSTOP');
    await pause(systemTimers, FREEZE_MS);
    process.kill(victim.pid, 'SIGCONT');
    return;
  }
  done[draw < 0.8 ? 'kill' : 'stop'] += 1;
  await victim.end(draw < 0.8 ? 'SIGKILL' : 'SIGTERM');
  running[at] = await start();
}

async function allFinal(ids: readonly NotificationId[]): Promise<void> {
  const missing = () => {
    const told = new Set(
      world.seen.of(world.topics.dispatched).map(({ key }) => Buffer.from(key ?? []).toString()),
    );
    return ids.filter((id) => !told.has(id));
  };
  await until(
    () => `outcomes of ${missing().length} of ${ids.length}, such as ${missing()[0]}`,
    () => (missing().length === 0 ? true : null),
    QUIET_LIMIT_MS,
  );
}

async function audit(ids: readonly NotificationId[]): Promise<void> {
  const messages = countBy(world.vendor.ledger.messages.map(({ reference }) => reference));
  const told = new Map<string, LogRecord[]>();
  for (const record of world.seen.of(world.topics.dispatched)) {
    const key = Buffer.from(record.key ?? []).toString();
    told.set(key, [...(told.get(key) ?? []), record]);
  }
  const findings: string[] = [];
  for (const id of ids) findings.push(...(await findingsOf(id, messages.get(id) ?? 0, told.get(id) ?? [])));
  expect(findings).toEqual([]);
  expect(world.deadLetters()).toHaveLength(0);
}

function countBy(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

async function findingsOf(
  id: NotificationId,
  messages: number,
  records: readonly LogRecord[],
): Promise<readonly string[]> {
  const values = new Set(records.map(({ value }) => Buffer.from(value ?? []).toString('hex')));
  const [first] = records;
  const answer = first === undefined ? null : await decodeDispatched(world.codec, first);
  const ended = answer?.kind === 'decoded' ? `${answer.value.status} ${answer.value.reason}` : 'unreadable';
  const row = await world.row(id);
  const rowAgrees = row?.['status'] === 'Sent' && Number(row['outcome_seq']) === 1;
  return [
    ...(messages === 1 ? [] : [`${id}: ${messages} messages`]),
    ...(values.size === 1 ? [] : [`${id}: repeats of its outcome differ`]),
    ...(ended === 'Sent accepted' ? [] : [`${id}: ended ${ended}`]),
    ...(rowAgrees ? [] : [`${id}: the row says ${String(row?.['status'])}`]),
  ];
}
