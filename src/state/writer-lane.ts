// One writer lane: group commit. It promises: a flush starts when the last one ends, never by a linger timer; operations of one key
// are committed in the order they came; marks ride along, or leave alone after MARK_DELAY_MS.
// It never decides what a flush came to: flush-settlement.ts does.
import type { NotificationId } from '../domain/notification-id.ts';
import type { Cancel } from '../runtime/timers.ts';
import { closedFault } from './closed-fault.ts';
import { flushQueue, type Operation, type Task } from './flush-queue.ts';
import { type SettlementDeps, settleFlush } from './flush-settlement.ts';
import { MARK_DELAY_MS } from './store.ts';

export interface WriterLane {
  /** @throws Fault STATE_OVERLOADED, STATE_CLOSED */
  submit(operation: Operation): void;
  mark(id: NotificationId, outcomeSeq: number): void;
  /** Commits the marks that wait now. @throws Fault STATE_CLOSED */
  drainMarks(): Promise<void>;
  /** Ends the flush in progress, then rejects what waits. */
  close(): Promise<void>;
}

export interface WriterLaneSettings {
  readonly maxRowsPerFlush: number;
}

export function writerLane(
  deps: Omit<SettlementDeps, 'closing'>,
  { maxRowsPerFlush }: WriterLaneSettings,
): WriterLane {
  const queue = flushQueue();
  const closing = new AbortController();
  const settlement: SettlementDeps = { closing: closing.signal, ...deps };
  let inFlight: ReadonlySet<NotificationId> = new Set();
  let isRunning = false;
  let flushing: Promise<void> = Promise.resolve();
  let areMarksDue = false;
  let cancelMarks: Cancel | null = null;

  const flushOnce = async () => {
    const tasks = queue.take(maxRowsPerFlush);
    inFlight = new Set(tasks.map(({ id }) => id));
    areMarksDue &&= queue.marks().size > 0;
    const settled = settleFlush(settlement, tasks);
    await settled.catch((error: unknown) => rejectTasks(tasks, error));
    inFlight = new Set();
  };
  const run = async () => {
    // What is submitted in the same turn belongs to the same flush.
    await Promise.resolve();
    while (!closing.signal.aborted && (queue.operations() > 0 || (areMarksDue && queue.marks().size > 0))) {
      flushing = flushOnce();
      await flushing;
    }
    isRunning = false;
  };
  const start = () => {
    if (isRunning) return;
    isRunning = true;
    void run();
  };
  const flushMarks = () => {
    cancelMarks?.();
    cancelMarks = null;
    areMarksDue = true;
    start();
  };
  return {
    submit(operation) {
      if (closing.signal.aborted) throw closedFault();
      queue.add(operation);
      start();
    },
    mark(id, outcomeSeq) {
      if (closing.signal.aborted) return;
      queue.mark({ id, outcomeSeq });
      if (queue.marks().size >= maxRowsPerFlush) flushMarks();
      else cancelMarks ??= deps.timers.after(MARK_DELAY_MS, flushMarks);
    },
    async drainMarks() {
      const owed = [...queue.marks().keys(), ...inFlight];
      const isOwed = () => owed.some((id) => queue.marks().has(id) || inFlight.has(id));
      while (isOwed()) {
        if (closing.signal.aborted) throw closedFault('marks are waiting');
        flushMarks();
        await flushing;
      }
    },
    async close() {
      closing.abort();
      cancelMarks?.();
      await flushing;
      for (const operation of queue.clear()) operation.reject(closedFault());
    },
  };
}

/** Marks need no answer: what they owed is still owed by the row. */
function rejectTasks(tasks: readonly Task[], error: unknown): void {
  for (const task of tasks) if (task.kind !== 'mark') task.reject(error);
}
