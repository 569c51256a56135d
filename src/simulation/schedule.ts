// One schedule from its tape to its verdict: servers and processes are set up, the outside acts and faults happen, then the faults end and
// everything must come to rest; then the invariants look at the ledger, the bytes of the topics and the rows.

import { messageOf } from '../runtime/fault.ts';
import type { Ids } from '../runtime/ids.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { memoryDatabase } from '../state/memory-database.ts';
import type { ProcessorSettings } from '../topology/processor.ts';
import { DEFAULT_RETENTION } from '../topology/retention-settings.ts';
import { diceOf } from './dice.ts';
import { simulatedFleet } from './fleet.ts';
import { judgeAtRest, watchAlways } from './invariants/invariants.ts';
import { type LedgerMessage, openLedger } from './ledger.ts';
import { simulatedBroker } from './log/simulated-log.ts';
import { poisonDelaysNobody } from './poison.ts';
import type { Protocol } from './protocol.ts';
import { randomOf } from './random.ts';
import type { Reach } from './reach.ts';
import { comeToRest, replayEverything, unrest } from './rest.ts';
import { simulatedTime } from './simulated-time.ts';
import type { Stage } from './stage.ts';
import { stateHash } from './state-hash.ts';
import type { Swarm } from './swarm.ts';
import type { Choices, Tape } from './tape.ts';
import { simulatedVendor } from './vendor.ts';
import { openWitness } from './witness.ts';
import { configureChannels, drawVendors, repairChannels } from './workload/channels.ts';
import { giveCommands } from './workload/commands.ts';
import { countOrders, endOrders } from './workload/orders.ts';
import { askForNotifications } from './workload/requests.ts';
import { bringTroubles, startProcesses } from './workload/troubles.ts';
import { reportOn, reportOnStrangers } from './workload/webhooks.ts';
import type { World } from './world.ts';

export interface Violation {
  /** Which invariant, by name. */
  readonly invariant: string;
  readonly detail: string;
}

export interface Verdict {
  readonly violation: Violation | null;
  readonly choices: Choices;
  readonly hash: string;
  /** Simulated time that it took, ms. */
  readonly tookMs: number;
}

export interface ScheduleOptions {
  /** null: the tape is given. */
  readonly swarm: Swarm | null;
  readonly reach: Reach;
  /** Hears the story. */
  readonly tell?: (line: string) => void;
}

const PARTITIONS = 2;
/** Longer than everything that is planned, a lease and a hold. */
const FAULTS_FOR_MS = 60_000;
/** A schedule in which only single steps go wrong lasts long enough for one attempt to be taken over again and again. */
const STEADY_FAULTS_FOR_MS = 160_000;

/** Short periods, so that a schedule of minutes is a schedule of few events. */
export const SIMULATED_SETTINGS: Omit<ProcessorSettings, 'processId'> = {
  leaseMs: 12_000,
  breaker: { windowMs: 20_000, minCalls: 3, failureShare: 0.8 },
  publishWithinMs: 10_000,
  sweepPeriodMs: 20_000,
  purgePeriodMs: 1_200_000,
  retention: DEFAULT_RETENTION,
  channelPollMs: 10_000,
  commitPeriodMs: 5_000,
  maxInFlight: 3,
  maxHeapEntries: 3,
  maxBufferedRecords: 4,
  stopLimitMs: 6_000,
  partitions: PARTITIONS,
  cautionMs: 0,
  sessionTimeoutMs: 5_000,
  heartbeatIntervalMs: 1_000,
  maxWaitMs: 100,
  maxBytesPerPartition: 1_048_576,
  watchdogMs: 1_200_000,
};

export async function runSchedule(
  protocol: Protocol,
  tape: Tape,
  options: ScheduleOptions,
): Promise<Verdict> {
  let violation: Violation | null = null;
  const time = simulatedTime();
  const { reach, tell } = options;
  const startMs = time.nowMs();
  const world: World = {
    time,
    tape,
    reach,
    dice: diceOf(tape, options.swarm, reach),
    tell: (who, line) =>
      tell?.(`${((time.nowMs() - startMs) / 1_000).toFixed(3).padStart(9)} ${who.padEnd(8)} ${line()}`),
    violate(invariant, detail) {
      if (violation === null) world.tell('!', () => `${invariant}: ${detail}`);
      violation ??= { invariant, detail };
    },
  };
  const stage = openStage(protocol, world);
  const isOver = () => violation !== null;
  try {
    configureChannels(stage);
    watchAlways(stage);
    countOrders(stage);
    startProcesses(stage);
    askForNotifications(stage);
    giveCommands(stage);
    reportOnStrangers(stage);
    const faultsForMs = bringTroubles(stage) > 0 ? FAULTS_FOR_MS : STEADY_FAULTS_FOR_MS;
    await time.run(startMs + faultsForMs, () => isOver() || (time.planned() === 0 && unrest(stage) === null));
    world.tell('fate', () => 'no more faults');
    world.dice.rest();
    repairChannels(stage);
    endOrders(stage);
    if (!isOver()) await comeToRest(stage, isOver);
    if (!isOver()) await poisonDelaysNobody(stage, isOver);
    if (!isOver()) judgeAtRest(stage);
    if (!isOver()) await replayEverything(stage, isOver);
  } catch (error) {
    world.violate('nothing throws', messageOf(error));
  }
  return { violation, choices: tape.choices(), hash: stateHash(stage), tookMs: time.nowMs() - startMs };
}

function openStage({ topics, topology, codec }: Protocol, world: World): Stage {
  const database = memoryDatabase({ clock: world.time.clock });
  const broker = simulatedBroker(world, topics, PARTITIONS);
  const ledger = openLedger();
  const witness = openWitness(database);
  const counted = new Map<string, number>();
  const facts = drawVendors(world.tape);
  const onMessage = (message: LedgerMessage) => reportOn(stage, message);
  const vendors = facts.map((one) =>
    simulatedVendor({ world, ledger, onCall: witness.called, onMessage }, one),
  );
  const fleet = simulatedFleet({
    world,
    broker,
    database,
    vendors,
    topics,
    topology,
    codec,
    ids: countedIds(),
    metrics: countingMetrics(counted),
    settings: SIMULATED_SETTINGS,
    witness,
  });
  const seen = { asked: new Map(), drafts: new Map(), registrations: new Map(), reports: [], strangers: [] };
  const servers = { world, broker, database, vendors, fleet, ledger, witness, topics, codec };
  const stage: Stage = {
    eras: new Map(),
    leftAlone: new Set(),
    counted,
    poison: { count: 0 },
    ...seen,
    ...servers,
  };
  return stage;
}

function countedIds(): Ids {
  const { fraction } = randomOf(1);
  let count = 0;
  return {
    uuid() {
      count += 1;
      return `00000000-0000-4000-9000-${count.toString(16).padStart(12, '0')}`;
    },
    fraction,
  };
}

/** Counters that an invariant looks at. */
const JUDGED = new Set(['pin_possible_duplicates_total', 'pin_webhooks_total']);

function countingMetrics(counted: Map<string, number>): Metrics {
  return {
    increment(name, labels, by = 1) {
      if (!JUDGED.has(name)) return;
      const keys = labels?.['result'] === undefined ? [name] : [name, `${name} ${labels['result']}`];
      for (const key of keys) counted.set(key, (counted.get(key) ?? 0) + by);
    },
    set: () => undefined,
    observe: () => undefined,
  };
}
