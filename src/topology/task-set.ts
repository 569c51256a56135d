// The tasks that this member owns. At every join the set is rebuilt: lost tasks drop their buffers, retained ones keep them, pauses
// are applied again. One set of lanes and one heap serve all tasks of the process.
import type { LogConsumer, LogRecord, TopicPartition } from '../broker/log.ts';
import { soon } from '../runtime/microtasks.ts';
import type { Engine } from './engine.ts';
import type { Topology } from './graph.ts';
import { type Lanes, lanes } from './lanes.ts';
import { taskLives } from './lives.ts';
import { type Task, type TaskDeps, task } from './task.ts';
import { type WakeHeap, wakeHeap } from './wake-heap.ts';
import type { Committable } from './watermark.ts';

export interface TaskSet {
  readonly lanes: Lanes;
  readonly heap: WakeHeap;
  offer(at: TopicPartition, records: readonly LogRecord[]): number;
  assign(partitions: readonly number[]): void;
  /** The log of a source partition goes on at `offset`, whatever was seen of it before. */
  rewind(at: TopicPartition, offset: number): void;
  committable(): readonly Committable[];
  partitions(): readonly number[];
  /** Says of every task that this process gives it away alive. Never rejects. */
  goodbye(): Promise<void>;
  /** Drops every buffer and every waiting wake-up; nothing new starts. */
  close(): void;
}

export interface TaskSetDeps {
  readonly engine: Engine;
  readonly topology: Topology;
  readonly processId: string;
  /** null until the consumer exists. */
  readonly consumer: () => Pick<LogConsumer, 'pause' | 'resume'> | null;
  readonly endOfRecord: TaskDeps['endOfRecord'];
  readonly onBug: (error: unknown) => void;
}

export function taskSet(deps: TaskSetDeps): TaskSet {
  const { engine } = deps;
  const tasks = new Map<number, Task>();
  const pump = roundRobin(tasks, () => engine.stopping.aborted);
  const pumpSoon = oncePerTurn(pump);
  const maxWork = engine.settings.maxInFlight + callsAtMost(engine);
  const running = lanes(engine.clock, maxWork, pumpSoon, deps.onBug);
  const lives = taskLives({ lanes: running, onOpen: pump, ...deps });
  const shared: Lanes = { ...running, hasRoom: () => lives.room.isOpen() && running.hasRoom() };
  const heap = wakeHeap(engine, engine.settings.maxHeapEntries);
  const open = (partition: number): Task =>
    task(
      {
        engine,
        topology: deps.topology,
        lanes: shared,
        heap,
        pause: (at) => deps.consumer()?.pause([at]),
        resume: (at) => deps.consumer()?.resume([at]),
        endOfRecord: deps.endOfRecord,
        pumpSoon,
      },
      partition,
    );

  return {
    lanes: shared,
    heap,
    offer(at, records) {
      const taken = tasks.get(at.partition)?.offer(at.topic, records) ?? 0;
      pumpSoon();
      return taken;
    },
    assign(partitions) {
      for (const [partition, lost] of tasks) {
        if (partitions.includes(partition)) continue;
        lost.close();
        void lives.goodbye(partition);
        tasks.delete(partition);
        engine.claims.release(partition);
        engine.logger.info('task.revoked', { partition });
      }
      for (const partition of partitions) {
        if (tasks.has(partition)) continue;
        const opened = open(partition);
        tasks.set(partition, opened);
        lives.begin(partition, opened.begin);
        engine.logger.info('task.assigned', { partition });
      }
      deps.consumer()?.pause([...tasks.values()].flatMap((one) => one.paused()));
      engine.metrics.set('pin_task_status', { status: 'running' }, tasks.size);
      // What a lost task held in the heap is room for the others.
      pump();
    },
    rewind(at, offset) {
      tasks.get(at.partition)?.rewind(at.topic, offset);
      pump();
    },
    committable: () => [...tasks.values()].flatMap((one) => one.committable()),
    partitions: () => [...tasks.keys()].sort((a, b) => a - b),
    async goodbye() {
      await Promise.all([...tasks.keys()].map(lives.goodbye));
    },
    close() {
      for (const one of tasks.values()) one.close();
      tasks.clear();
    },
  };
}

/** Calls get places of their own: however many hang at slow providers, `maxInFlight` others are worked on. */
function callsAtMost(engine: Engine): number {
  return [...engine.providerFacts.values()].reduce((sum, { maxConcurrency }) => sum + maxConcurrency, 0);
}

/** Lanes end in crowds, a flush at a time, and a fetch brings many partitions: one look at all tasks serves the crowd. */
function oncePerTurn(work: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    soon(() => {
      isAsked = false;
      work();
    });
  };
}

/** Each round starts with another task, so that no task starves the others. Safe to call from within itself. */
function roundRobin(tasks: ReadonlyMap<number, Task>, isOver: () => boolean): () => void {
  let isPumping = false;
  let wantsPump = false;
  let turn = 0;
  return () => {
    wantsPump = true;
    if (isPumping) return;
    isPumping = true;
    while (wantsPump && !isOver()) {
      wantsPump = false;
      const all = [...tasks.values()];
      turn = all.length === 0 ? 0 : (turn + 1) % all.length;
      for (const one of [...all.slice(turn), ...all.slice(0, turn)]) one.pump();
    }
    isPumping = false;
  };
}
