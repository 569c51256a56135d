// What waits for a lane's next flush. It promises: operations of one key leave in the order they came, one per flush.
// It never waits and never drops anything.
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { Fault } from '../runtime/fault.ts';
import type { Flush, Mark } from './flush.ts';
import type { InsertAnswer, Insertion, RowWrite, WriteAnswer } from './store.ts';

interface Waiting {
  readonly id: NotificationId;
  readonly reject: (error: unknown) => void;
  /** True once a flush that carried it stayed unanswered: a miss then proves nothing. */
  isUncertain: boolean;
}

export type Operation = Waiting &
  (
    | {
        readonly kind: 'insert';
        readonly insertion: Insertion;
        readonly resolve: (answer: InsertAnswer) => void;
      }
    | { readonly kind: 'write'; readonly write: RowWrite; readonly resolve: (answer: WriteAnswer) => void }
  );

export type Task = Operation | (Mark & { readonly kind: 'mark' });

/** More than this waiting in one lane means that nobody upstream respects a limit. */
const MAX_WAITING_OPERATIONS = 100_000;

export interface FlushQueue {
  /** @throws Fault STATE_OVERLOADED */
  add(operation: Operation): void;
  mark(mark: Mark): void;
  /** The next flush: at most `maxRows`, at most one per key, room kept for marks. */
  take(maxRows: number): readonly Task[];
  operations(): number;
  marks(): ReadonlyMap<NotificationId, number>;
  /** Empties the queue; waiting marks are forgotten, operations are handed back. */
  clear(): readonly Operation[];
}

export function flushQueue(): FlushQueue {
  let waiting: Operation[] = [];
  const marks = new Map<NotificationId, number>();
  const takeOperations = (limit: number, taken: Map<NotificationId, Task>) => {
    if (waiting.length === 0) return;
    const left: Operation[] = [];
    for (const operation of waiting) {
      if (taken.size < limit && !taken.has(operation.id)) taken.set(operation.id, operation);
      else left.push(operation);
    }
    waiting = left;
  };
  const takeMarks = (limit: number, taken: Map<NotificationId, Task>) => {
    for (const [id, outcomeSeq] of marks) {
      if (taken.size >= limit) return;
      if (taken.has(id)) continue;
      taken.set(id, { kind: 'mark', id, outcomeSeq });
      marks.delete(id);
    }
  };
  return {
    add(operation) {
      if (waiting.length >= MAX_WAITING_OPERATIONS) {
        throw new Fault('STATE_OVERLOADED', `${waiting.length} writes are waiting`, { retriable: true });
      }
      waiting.push(operation);
    },
    mark: ({ id, outcomeSeq }) => void marks.set(id, Math.max(outcomeSeq, marks.get(id) ?? 0)),
    take(maxRows) {
      const taken = new Map<NotificationId, Task>();
      takeOperations(maxRows - Math.min(marks.size, Math.floor(maxRows / 2)), taken);
      takeMarks(maxRows, taken);
      return [...taken.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    operations: () => waiting.length,
    marks: () => marks,
    clear() {
      const left = waiting;
      waiting = [];
      marks.clear();
      return left;
    },
  };
}

/** `tasks` are in id order, so the lists are. */
export function flushOf(tasks: readonly Task[]): Flush {
  const inserts: Insertion[] = [];
  const writes: RowWrite[] = [];
  const marks: Mark[] = [];
  for (const task of tasks) {
    if (task.kind === 'insert') inserts.push(task.insertion);
    else if (task.kind === 'write') writes.push(task.write);
    else marks.push(task);
  }
  return { inserts, writes, marks };
}

export function answerWritten(operation: Operation, row: Notification): void {
  operation.resolve({ kind: 'written', row });
}

export function answerMissed(operation: Operation): void {
  if (operation.kind === 'insert') operation.resolve({ kind: 'exists' });
  else operation.resolve({ kind: 'stale' });
}

export function answerQuarantined(operation: Operation, reason: string): void {
  operation.resolve({ kind: 'quarantined', reason });
}

export function writeTokenOf(operation: Operation): string {
  return operation.kind === 'insert' ? operation.insertion.writeToken : operation.write.writeToken;
}
