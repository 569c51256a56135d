// The processor: one topology, run. The same constructor serves `pin run`, the demo, the test driver and the simulation; only the
// ports differ. It promises that what it took from the log and did not finish stays with the log, and that a stop is graceful:
// no new claims, unsent claims released, sent ones settled and published, offsets committed, then it leaves.
import type { Log, LogConsumer } from '../broker/log.ts';
import { isFault, messageOf } from '../runtime/fault.ts';
import type { Cancel } from '../runtime/timers.ts';
import { startBackground } from './background.ts';
import { offsetCommits } from './commit-offsets.ts';
import { consumerHandlers } from './consumer-handlers.ts';
import { controlWatch } from './control-watch.ts';
import type { Engine, EnginePorts, EngineSettings } from './engine.ts';
import { type GateReport, gateReports } from './gate-state.ts';
import { stopGracefully } from './graceful-stop.ts';
import type { Topology } from './graph.ts';
import { openEngine } from './open-engine.ts';
import { type Outages, Stopped } from './outages.ts';
import { type ProcessorState, type StateListener, stateMachine } from './processor-state.ts';
import { type PurgeResult, purgeOnce } from './purge.ts';
import { endOfRecord } from './record-trouble.ts';
import { type SweepResult, sweepOnce } from './sweep.ts';
import { type TaskSet, taskSet } from './task-set.ts';
import { startWatchdog, type WatchdogSettings } from './watchdog.ts';

/** However long a tier's delay is, what was produced to it is seen within this. */
const MAX_LOOK_EVERY_MS = 15_000;

export interface ProcessorPorts extends EnginePorts {
  readonly log: Log;
}

export interface ProcessorSettings extends EngineSettings {
  /** Stable per process; key of the assignment's stickiness. */
  readonly processId: string;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly maxWaitMs: number;
  readonly maxBytesPerPartition: number;
  /** No step for this long, while every server answers, ends the processor. */
  readonly watchdogMs: number;
}

export interface Processor {
  state(): ProcessorState;
  onState(listener: StateListener): () => void;
  /** Partition numbers of the tasks that this process runs. */
  tasks(): readonly number[];
  inFlight(): number;
  /** Monotonic age of the consumer's last sign of life. */
  lastProgressAgeMs(): number;
  outages(): ReturnType<Outages['current']>;
  gates(): readonly GateReport[];
  /** Local clock minus the store's, ms. */
  clockSkewMs(): number;
  /** One pass of the sweeper now; null when another process holds its lock. */
  sweep(): Promise<SweepResult | null>;
  /** One pass of the purge now; null when another process holds its lock. */
  purge(): Promise<PurgeResult | null>;
  /** Graceful; resolves when the process may exit. */
  stop(): Promise<void>;
}

/** @throws Fault when a server is away; nothing is left open then */
export async function startProcessor(
  ports: ProcessorPorts,
  topology: Topology,
  settings: ProcessorSettings,
): Promise<Processor> {
  const stopping = new AbortController();
  const ending = new AbortController();
  const machine = stateMachine((error) =>
    ports.logger.error('listener.failed', { detail: messageOf(error) }),
  );
  const producer = await ports.log.producer();
  const watch = controlWatch(ports.store);
  const engine = openEngine(ports, settings, producer, watch, {
    stopping: stopping.signal,
    ending: ending.signal,
  });
  const fail = (error: unknown) => {
    ports.logger.error('processor.failed', { detail: messageOf(error) });
    machine.enter('failed');
  };
  let consumer: LogConsumer | null = null;
  const consumerAgeMs = () => consumer?.lastProgressAgeMs() ?? 0;
  const tasks = taskSet({
    engine,
    topology,
    processId: settings.processId,
    consumer: () => consumer,
    endOfRecord: (error, record) => endOfRecord(engine, error, record, fail),
    onBug: fail,
  });
  const report = (error: unknown) => {
    if (!(error instanceof Stopped) && !isFault(error)) fail(error);
    else ports.logger.debug('background.failed', { detail: messageOf(error) });
  };
  const commit = offsetCommits(engine, tasks, () => consumer);
  const handlers = consumerHandlers(engine, tasks, machine, {
    revoking: () => void Promise.all([commit(), engine.store.drainMarks()]).catch(report),
    fail,
  });
  try {
    await engine.storeClock.begin(() => ports.store.load([]));
    await watch.refresh(engine.operatorGates);
    consumer = await ports.log.consumer(readingOf(topology, settings), handlers);
  } catch (error) {
    await producer.close();
    throw error;
  }
  const passes = { sweep: () => sweepOnce(engine), purge: () => purgeOnce(engine) };
  const work = { commit, ...passes, follow: () => watch.refresh(engine.operatorGates) };
  const cancelBackground = startBackground(engine, work, report);
  const cancelWatchdog = guard(ports, engine, tasks, consumerAgeMs, { limitMs: settings.watchdogMs }, fail);
  let stopped: Promise<void> | null = null;
  return {
    state: machine.current,
    onState: machine.onChange,
    tasks: tasks.partitions,
    inFlight: tasks.lanes.inFlight,
    lastProgressAgeMs: consumerAgeMs,
    outages: engine.outages.current,
    gates: () => gateReports(engine),
    clockSkewMs: engine.storeClock.skewMs,
    ...passes,
    stop() {
      stopped ??= (async () => {
        // Whoever failed did not end well: its tasks go without a goodbye.
        const hasFailed = machine.current() === 'failed';
        machine.enter('stopping');
        cancelWatchdog();
        cancelBackground();
        await stopGracefully(engine, tasks, { consumer, producer, commit }, { stopping, ending, hasFailed });
        machine.enter('stopped');
      })();
      return stopped;
    },
  };
}

/** A tier's record is due when the tier's delay has passed, so the tier is looked at twice in that time. */
function readingOf({ groupId, sources }: Topology, settings: ProcessorSettings) {
  const lookEveryMs = new Map<string, number>();
  for (const { topic, tier } of sources)
    if (tier !== null) lookEveryMs.set(topic, Math.min(tier.delayMs / 2, MAX_LOOK_EVERY_MS));
  return { groupId, topics: sources.map(({ topic }) => topic), lookEveryMs, ...settings };
}

function guard(
  { log, store }: ProcessorPorts,
  engine: Engine,
  { lanes }: TaskSet,
  consumerAgeMs: () => number,
  limit: WatchdogSettings,
  onStuck: (error: unknown) => void,
): Cancel {
  const { clock, timers, logger, outages } = engine;
  const [oldestWorkMs, storeAwaySinceMs] = [lanes.oldestStartMs, store.unavailableSinceMs];
  const seen = { oldestWorkMs, storeAwaySinceMs, consumerAgeMs, pingLog: log.ping, onStuck };
  return startWatchdog({ clock, timers, logger, outages, ...seen }, limit);
}
