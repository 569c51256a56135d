// Task i: partition i of every source. It takes records when their time has come, hands them to the lane of their key, and knows
// which offsets may be committed. A task that is lost drops what it buffered; work in flight may finish, every write is guarded.
import type { LogRecord, PartitionOffset, TopicPartition } from '../broker/log.ts';
import type { Engine } from './engine.ts';
import type { Topology } from './graph.ts';
import type { Lanes } from './lanes.ts';
import { laneKeyOf, turnOf } from './record-turn.ts';
import { type SourcePump, sourcePump } from './source-pump.ts';
import type { WakeHeap } from './wake-heap.ts';

export interface Task {
  /** Takes records of one source from the front; pauses the partition when its buffer is full. */
  offer(topic: string, records: readonly LogRecord[]): number;
  /** Moves what is ready into lanes, as far as there is room. */
  pump(): void;
  committable(): readonly PartitionOffset[];
  committed(offsets: readonly PartitionOffset[]): void;
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
  /** A record's handling threw. True: its bytes are in quarantine and it is done; false: it stays with the log. */
  readonly endsRecord: (error: unknown, record: LogRecord) => Promise<boolean>;
  readonly pumpSoon: () => void;
}

export function task(deps: TaskDeps, partition: number): Task {
  const { engine, heap } = deps;
  const owner = {};
  let isClosed = false;

  const handle = async (from: SourcePump, record: LogRecord, laneKey: string) => {
    if (isClosed) return;
    try {
      const turn = await turnOf(engine, from.source, record);
      if (turn.kind !== 'not-due') return from.buffer.watermark.done(record.offset);
      const localDueMs = Math.ceil(turn.dueAtMs + engine.storeClock.skewMs());
      heap.add(localDueMs, owner, () => run(from, record, laneKey));
    } catch (error) {
      if (await deps.endsRecord(error, record)) from.buffer.watermark.done(record.offset);
    }
  };
  const run = (from: SourcePump, record: LogRecord, laneKey: string) =>
    deps.lanes.run(laneKey, () => handle(from, record, laneKey));

  // Retry tiers first: rows that were woken go before new ones.
  const pumps: readonly SourcePump[] = [...deps.topology.sources]
    .sort((a, b) => Number(b.kind === 'retry') - Number(a.kind === 'retry'))
    .map((source) =>
      sourcePump(
        {
          engine,
          pause: deps.pause,
          resume: deps.resume,
          pumpSoon: deps.pumpSoon,
          mayTake: () => deps.lanes.hasRoom() && !(source.kind === 'retry' && heap.isFull()),
          onRecord: (from, record) => run(from, record, laneKeyOf(record)),
        },
        source,
        partition,
      ),
    );

  return {
    offer(topic, records) {
      const from = pumps.find(({ source }) => source.topic === topic);
      return from === undefined || isClosed ? 0 : from.offer(records);
    },
    pump() {
      if (isClosed) return;
      for (const one of pumps) one.pump();
    },
    committable: () =>
      pumps.flatMap(({ source, buffer }) => {
        const offset = buffer.watermark.committable();
        return offset === null ? [] : [{ topic: source.topic, partition, offset }];
      }),
    committed(offsets) {
      for (const { topic, offset } of offsets)
        pumps.find(({ source }) => source.topic === topic)?.buffer.watermark.committed(offset);
    },
    paused: () =>
      pumps.flatMap(({ source, isPaused }) => (isPaused() ? [{ topic: source.topic, partition }] : [])),
    close() {
      isClosed = true;
      heap.forget(owner);
      for (const one of pumps) one.close();
    },
  };
}
