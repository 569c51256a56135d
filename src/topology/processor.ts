// The processor: one topology, run. The same constructor serves `pin run`, the demo, the test driver and the simulation; only the
// ports differ. It promises that what it took from the log and did not finish stays with the log, and that a stop is graceful:
// no new claims, unsent claims released, sent ones settled and published, offsets committed, then it leaves.
import type { ConsumerHandlers, ConsumerOptions, Log, LogConsumer } from '../broker/log.ts';
import { isFault, messageOf } from '../runtime/fault.ts';
import { startBackground } from './background.ts';
import { channelWatch } from './channel-watch.ts';
import { commitOffsets } from './commit-offsets.ts';
import type { Engine, EnginePorts, EngineSettings } from './engine.ts';
import { stopGracefully } from './graceful-stop.ts';
import type { Topology } from './graph.ts';
import { openEngine } from './open-engine.ts';
import { type Outages, Stopped } from './outages.ts';
import {
  type ProcessorState,
  type StateListener,
  type StateMachine,
  stateMachine,
} from './processor-state.ts';
import { endsRecord } from './record-trouble.ts';
import { type SweepResult, sweepOnce } from './sweep.ts';
import { type TaskSet, taskSet } from './task-set.ts';

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
  gates(): readonly { readonly providerKey: string; readonly state: string }[];
  /** Local clock minus the store's, ms. */
  clockSkewMs(): number;
  /** One pass of the sweeper now; null when another process holds its lock. */
  sweep(): Promise<SweepResult | null>;
  /** Graceful; resolves when the process may exit. */
  stop(): Promise<void>;
}

/** @throws Fault when a server is away or the partition count is not the stored one */
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
  const watch = channelWatch(ports.store);
  const engine = openEngine(ports, settings, producer, watch.channels, {
    stopping: stopping.signal,
    ending: ending.signal,
  });
  const fail = (error: unknown) => {
    ports.logger.error('processor.failed', { detail: messageOf(error) });
    machine.enter('failed');
  };
  let consumer: LogConsumer | null = null;
  const tasks = taskSet({
    engine,
    topology,
    consumer: () => consumer,
    endsRecord: (error, record) => endsRecord(engine, error, record, fail),
    onBug: fail,
  });
  const first = await ports.store.load([]);
  engine.storeClock.heard(first.nowMs);
  await watch.refresh();

  const report = (error: unknown) => {
    if (!(error instanceof Stopped) && !isFault(error)) fail(error);
    else ports.logger.debug('background.failed', { detail: messageOf(error) });
  };
  const commit = () => commitOffsets(engine, tasks, consumer);
  const cancelAll = startBackground(
    engine,
    { commit, sweep: () => sweepOnce(engine), refresh: watch.refresh },
    report,
  );
  consumer = await ports.log.consumer(
    consumerOptions(topology, settings),
    consumerHandlers(engine, tasks, machine, { commit: () => void commit().catch(report), fail }),
  );
  let stopped: Promise<void> | null = null;
  return {
    state: machine.current,
    onState: machine.onChange,
    tasks: tasks.partitions,
    inFlight: tasks.lanes.inFlight,
    lastProgressAgeMs: () => consumer?.lastProgressAgeMs() ?? 0,
    outages: engine.outages.current,
    gates: () => gateStates(engine),
    clockSkewMs: engine.storeClock.skewMs,
    sweep: () => sweepOnce(engine),
    stop() {
      stopped ??= (async () => {
        machine.enter('stopping');
        cancelAll();
        await stopGracefully(engine, tasks, consumer, producer, { stopping, ending });
        machine.enter('stopped');
      })();
      return stopped;
    },
  };
}

function consumerOptions(topology: Topology, settings: ProcessorSettings): ConsumerOptions {
  return {
    groupId: topology.groupId,
    topics: topology.sources.map(({ topic }) => topic),
    processId: settings.processId,
    sessionTimeoutMs: settings.sessionTimeoutMs,
    heartbeatIntervalMs: settings.heartbeatIntervalMs,
    maxWaitMs: settings.maxWaitMs,
    maxBytesPerPartition: settings.maxBytesPerPartition,
  };
}

function consumerHandlers(
  engine: Engine,
  tasks: TaskSet,
  machine: StateMachine,
  on: { readonly commit: () => void; readonly fail: (error: unknown) => void },
): ConsumerHandlers {
  return {
    onRecords: (at, records) => (engine.stopping.aborted ? 0 : tasks.offer(at, records)),
    onAssigned(partitions) {
      if (engine.stopping.aborted) return;
      tasks.assign(partitions);
      machine.enter('running');
    },
    onRevoking() {
      machine.enter('rebalancing');
      on.commit();
    },
    onCrashed: on.fail,
    onOffsetReset: (at, committed, next) =>
      engine.logger.error('offset.reset', { ...at, offset: next, committed_offset: committed }),
  };
}

function gateStates(engine: Engine): ReturnType<Processor['gates']> {
  return [...engine.providers.keys()].map((providerKey) => ({
    providerKey,
    state: engine.gates.state(providerKey),
  }));
}
