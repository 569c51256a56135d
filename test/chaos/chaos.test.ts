// Processes that die, freeze, stop and come, and servers that go away, while requests flow: all from one seed. Judged by the vendor's
// ledger, the topic's bytes and the table, through `pin audit` and beside it. `npm run chaos -- --minutes N --seed S`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isoTime, systemClock } from '../../src/runtime/clock.ts';
import { pin } from '../support/pin-process.ts';
import { openRealWorld, testChannel } from '../support/real-service.ts';
import { stackAddresses } from '../support/stack-servers.ts';
import { until } from '../support/until.ts';
import { type ChaosRun, disturb, handOverAfterStop, silenceAfterKill } from './disturbances.ts';
import { findingsOn, offsetCheck } from './findings.ts';
import { startFleet } from './fleet.ts';
import { type Load, startLoad } from './load.ts';
import { observe } from './observer.ts';
import { providerDoor } from './provider-door.ts';
import { chaosReport } from './report.ts';
import { scheduleOf, stepWords } from './schedule.ts';
import { startTeller, type Teller } from './teller.ts';

const MINUTE_MS = 60_000;
const minutes = Number(process.env['CHAOS_MINUTES'] ?? '3');
const isCi = process.env['CI'] !== undefined;
/** CI repeats one schedule, so that a change is what makes it red; people draw the day's, which the run prints. */
const seed = process.env['CHAOS_SEED'] ?? (isCi ? 'ci' : isoTime(systemClock.nowMs()).slice(0, 10));
/** CI's machines may be slower than the two cores that this was made on. */
const perSecond = Number(process.env['CHAOS_RATE'] ?? (isCi ? '60' : '200'));
/** Short runs have short outages, so that each kind has its turn. */
const outageMs = Number(process.env['CHAOS_OUTAGE_SECONDS'] ?? (minutes < 6 ? '6' : '20')) * 1_000;
/** An existing folder that takes the logs of all processes. */
const logFolder = process.env['CHAOS_LOGS'];
const PROCESSES = 2;
const PARTITIONS = 6;
const STEPS_A_MINUTE = 40;
/** On a slow machine the outages alone may take all the time. */
const LEAST_DRAWN_MS = MINUTE_MS / 2;
/** Session timeout of a member, and what a rebalance may take. */
const SILENCE_LIMIT_MS = 13_000;
const SILENCE_WATCH_MS = 16_000;
const HAND_OVER_LIMIT_MS = 3_000;
/** Leases, backoffs and sweeps must have had their turn. */
const QUIET_LIMIT_MS = 7 * MINUTE_MS;
const AUDIT_LIMIT_MS = 3 * MINUTE_MS;
const START_LIMIT_MS = 2 * MINUTE_MS;
const OUTAGE_TEST_LIMIT_MS = 3 * MINUTE_MS;

const { outages, drawn } = scheduleOf(seed, {
  processes: PROCESSES,
  steps: Math.ceil(minutes * STEPS_A_MINUTE),
});
const folder = mkdtempSync(join(tmpdir(), 'pin-chaos-'));
const ledgerFile = join(folder, 'ledger.jsonl');
const endMs = systemClock.monotonicMs() + minutes * MINUTE_MS;
let run: ChaosRun;
let load: Load;
let teller: Teller;
let beganMs = 0;

beforeAll(async () => {
  console.log(
    `chaos seed ${seed}, ${minutes} min, outages of ${outageMs / 1_000} s, ${perSecond} requests/s`,
  );
  console.log(`outages: ${outages.map(stepWords).join(', ')}`);
  console.log(`then, until the time is over: ${drawn.map(stepWords).join(', ')}`);
  const { redisUrl } = stackAddresses();
  let vendorPort = 0;
  const door = await providerDoor(() => vendorPort);
  const world = await openRealWorld({
    vendor: { ledgerFile },
    channels: [CHANNEL],
    variables: {
      PIN_PARTITIONS: String(PARTITIONS),
      PIN_PROVIDER_VENDOR_URL: `http://127.0.0.1:${door.port}/messages`,
      PIN_PROVIDER_VENDOR_DEADLINE: '3s',
      PIN_LEASE: '25s',
      PIN_SWEEP_PERIOD: '5s',
      PIN_STOP_LIMIT: '15s',
      ...(redisUrl === null ? {} : { PIN_REDIS_URL: redisUrl }),
    },
  });
  vendorPort = Number(new URL(world.vendor.url).port);
  world.vendor.shares(TROUBLES);
  const observer = await observe(world.servers.log, world.topics, PARTITIONS);
  const fleet = await startFleet(world, PROCESSES);
  run = {
    ...{ world, door, fleet, observer, outageMs, channel: CHANNEL },
    offsets: offsetCheck(world, observer),
    report: chaosReport(),
  };
  teller = startTeller(world);
  load = startLoad(world, teller, perSecond);
  beganMs = systemClock.nowMs();
  await everyPartitionWorks();
}, START_LIMIT_MS);

afterAll(async () => {
  await run.fleet.endAll();
  if (logFolder !== undefined) run.fleet.writeLogs(logFolder);
  await run.observer.stop();
  await run.world.stop();
  await run.door.shut();
  rmSync(folder, { recursive: true, force: true });
});

const BACKOFF = { kind: 'exponential', baseMs: 1_000, capMs: 5_000, jitter: 0.2 } as const;
const CHANNEL = testChannel('email', { maxAttempts: 200, backoff: BACKOFF, releasePerSecond: 500 });
/** What a vendor does on a plain day. */
const TROUBLES = [
  { share: 0.1, answer: { kind: 'error', status: 503, code: 'overloaded', retriable: true } },
  { share: 0.02, answer: { kind: 'cut', when: 'mid-answer' } },
  { share: 0.02, answer: { kind: 'accept', latencyMs: 800 } },
  { share: 0.005, answer: { kind: 'hang', delivers: true } },
] as const;

test(`kill -9 of one of two processes leaves none of its partitions in silence for more than ${SILENCE_LIMIT_MS / 1_000} s`, {
  // A machine that stands still for a second makes it longer: then once more.
  retry: 2,
  timeout: OUTAGE_TEST_LIMIT_MS,
}, async () => {
  const { partitionMs } = await silenceAfterKill(run, load.sentAtMs, SILENCE_WATCH_MS);
  await run.fleet.start(0);
  await everyPartitionWorks();
  expect(partitionMs).toBeLessThanOrEqual(SILENCE_LIMIT_MS);
  expect(await run.offsets.aheadOfRows()).toEqual([]);
});

test(`after a graceful stop of one of two processes the other one sends within ${HAND_OVER_LIMIT_MS / 1_000} s`, {
  retry: 2,
  timeout: OUTAGE_TEST_LIMIT_MS,
}, async () => {
  const handOverMs = await handOverAfterStop(run);
  await run.fleet.start(0);
  await everyPartitionWorks();
  expect(handOverMs).toBeLessThanOrEqual(HAND_OVER_LIMIT_MS);
});

for (const step of outages) {
  test(
    `work resumes by itself after an outage: ${step.outage}`,
    async () => {
      expect(await disturb(run, step)).toEqual([]);
    },
    OUTAGE_TEST_LIMIT_MS,
  );
}

test(
  'kills, freezes, stops, rebalances and outages in the order of the seed',
  async () => {
    const findings: string[] = [];
    const untilMs = Math.max(endMs, systemClock.monotonicMs() + LEAST_DRAWN_MS);
    for (const step of drawn) {
      if (systemClock.monotonicMs() >= untilMs) break;
      findings.push(...(await disturb(run, step)));
    }
    expect(findings).toEqual([]);
    expect(await run.offsets.aheadOfRows()).toEqual([]);
  },
  minutes * MINUTE_MS + LEAST_DRAWN_MS + OUTAGE_TEST_LIMIT_MS,
);

test(
  'nothing is lost, nothing is sent twice, and pin audit says so',
  async () => {
    const { world, fleet, report } = run;
    await load.end();
    const seconds = Math.round((systemClock.nowMs() - beganMs) / 1_000);
    const ids = [...load.sentAtMs.keys()];
    await atRest(ids.length);
    // What was told last may send once more what had come to rest.
    await teller.end();
    await everythingHeard();
    await atRest(ids.length);
    const lines = await report.lines(world, {
      ...{ seed, requests: ids.length, perSecond, seconds },
      told: teller.told(),
    });
    const variables = { ...world.environment.variables };
    const audit = await pin(['audit', '--quiescent', '--ledger', ledgerFile], variables, '', AUDIT_LIMIT_MS);
    console.log([...lines, audit.stderr].join('\n'));
    expect([audit.stdout, audit.code]).toEqual(['', 0]);
    expect(await findingsOn(world, ids)).toEqual([]);
    expect(world.deadLetters()).toHaveLength(0);
    expect(fleet.endedByThemselves()).toEqual([]);
  },
  QUIET_LIMIT_MS + AUDIT_LIMIT_MS + 2 * MINUTE_MS,
);

function everyPartitionWorks(): Promise<unknown> {
  const fromMs = systemClock.nowMs();
  return until(
    () => `an outcome on every partition, there are ${JSON.stringify(run.observer.firstSince(fromMs))}`,
    () => (run.observer.firstSince(fromMs).every((at) => at !== null) ? true : null),
    MINUTE_MS,
  );
}

/** The group has committed every webhook and command, by the topics' ends and not by what we say of ourselves. */
async function everythingHeard(): Promise<void> {
  const { topics, servers } = run.world;
  let behind = 0;
  await until(
    () => `webhooks and commands are committed, ${behind} are not`,
    async () => {
      const admin = await servers.log.admin();
      const lags = await admin
        .lag(topics.groupId, [topics.webhooks, topics.commands])
        .finally(() => admin.close());
      behind = lags.reduce((sum, { committed, start, end }) => sum + end - (committed ?? start), 0);
      return behind === 0 ? true : null;
    },
    MINUTE_MS,
  );
}

/** Every request has a row, and no row owes anything. */
async function atRest(requests: number): Promise<void> {
  let last: Record<string, unknown> = {};
  await until(
    () => `${requests} rows at rest, there are ${JSON.stringify(last)}`,
    async () => {
      const [counts] = await run.world.query(
        `select count(*)::int as rows, (count(*) filter (where final is null))::int as unfinished,
                (count(*) filter (where published_seq < outcome_seq))::int as unpublished from notifications`,
      );
      last = counts ?? {};
      return last['rows'] === requests && last['unfinished'] === 0 && last['unpublished'] === 0 ? true : null;
    },
    QUIET_LIMIT_MS,
  );
}
