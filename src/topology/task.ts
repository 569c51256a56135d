// Task i: partition i of every source. It takes records when their time has come, hands them to the lane of their key, and knows
// which offsets may be committed. A task that is lost drops what it buffered; work in flight may finish, every write is guarded.
import type { LogRecord, TopicPartition } from '../broker/log.ts';
import type { Care } from './care.ts';
import type { Engine } from './engine.ts';
import type { Source, Topology } from './graph.ts';
import type { Lanes } from './lanes.ts';
import type { RecordEnd } from './record-trouble.ts';
import { laneKeyOf } from './record-turn.ts';
import { type SourcePump, sourcePump } from './source-pump.ts';
import { runTaken, type Taken } from './taken-record.ts';
import type { WakeHeap } from './wake-heap.ts';
import type { Committable, Watermark } from './watermark.ts';

export interface Task {
  /** Takes records of one source from the front; pauses the partition when its buffer is full. Not to be asked after `close`. */
  offer(topic: string, records: readonly LogRecord[]): number;
  /** Moves what is ready into lanes, as far as there is room. */
  pump(): void;
  /** Nothing runs before. `care`: a process died with this task. */
  begin(care: Care | null): void;
  /** The log of one source goes on at `offset`: what was seen from there on is no longer what the log holds. */
  rewind(topic: string, offset: number): void;
  committable(): readonly Committable[];
  /** The partitions that are full now; pauses are applied again at every join. */
  paused(): readonly TopicPartition[];
  close(): void;
}

export interface TaskDeps {
  readonly engine: Engine;
  readonly topology: Topology;
  readonly lanes: Lanes;
  readonly heap: WakeHeap;
  readonly pause: (at: TopicPartition) => void;
  readonly resume: (at: TopicPartition) => void;
  /** A record's handling threw. */
  readonly endOfRecord: (error: unknown, record: LogRecord) => Promise<RecordEnd>;
  readonly pumpSoon: () => void;
}

export function task(deps: TaskDeps, partition: number): Task {
  const { heap, lanes } = deps;
  const owner = {};
  /** Due, and waiting for room: they go before everything that is read. */
  const woken: Taken[] = [];
  let isClosed = false;
  let isBegun = false;
  let careful: Care | null = null;

  const waitUntil = (localDueMs: number, taken: Taken) => {
    if (isClosed) return;
    heap.add(localDueMs, owner, () => {
      woken.push(taken);
      deps.pumpSoon();
    });
  };
  const running = { isClosed: () => isClosed, left: new Set<string>(), waitUntil, ...deps };
  const run = (taken: Taken) => runTaken(running, careful, taken);

  const pumps = pumpsOf(deps, partition, {
    mayWake: () => !heap.isFull() && woken.length === 0,
    start: (source, record, watermark) => run({ source, record, laneKey: laneKeyOf(record), watermark }),
  });
  const pumpOf = (topic: string) => pumps.find(({ source }) => source.topic === topic);

  return {
    offer: (topic, records) => pumpOf(topic)?.offer(records) ?? 0,
    pump() {
      if (isClosed || !isBegun) return;
      while (lanes.hasRoom()) {
        const taken = woken.shift();
        if (taken === undefined) break;
        run(taken);
      }
      for (const one of pumps) one.pump();
    },
    begin(care) {
      if (isClosed) return care?.close();
      [isBegun, careful] = [true, care];
      deps.pumpSoon();
    },
    rewind: (topic, offset) => pumpOf(topic)?.rewind(offset),
    committable: () =>
      pumps.flatMap(({ source, buffer }) => {
        const watermark = buffer.watermark();
        const offset = watermark.committable();
        return offset === null ? [] : [{ topic: source.topic, partition, offset, watermark }];
      }),
    paused: () =>
      pumps.flatMap(({ source, isPaused }) => (isPaused() ? [{ topic: source.topic, partition }] : [])),
    close() {
      isClosed = true;
      careful?.close();
      woken.length = 0;
      heap.forget(owner);
      for (const one of pumps) one.close();
    },
  };
}

interface Intake {
  /** False while wake-ups that were read before still wait. */
  readonly mayWake: () => boolean;
  readonly start: (source: Source, record: LogRecord, watermark: Watermark) => void;
}

/** Retry tiers first: rows that were woken go before new ones. */
function pumpsOf(deps: TaskDeps, partition: number, intake: Intake): readonly SourcePump[] {
  const { engine, topology, lanes, pause, resume, pumpSoon } = deps;
  const sources = [...topology.sources].sort(
    (a, b) => Number(b.kind === 'retry') - Number(a.kind === 'retry'),
  );
  return sources.map((source) => {
    const mayTake = () => lanes.hasRoom() && (source.kind !== 'retry' || intake.mayWake());
    const onRecord = (record: LogRecord, watermark: Watermark) => intake.start(source, record, watermark);
    return sourcePump({ engine, pause, resume, pumpSoon, mayTake, onRecord }, source, partition);
  });
}
