// Carries one flush to its end. It promises: every operation of it is answered with what is true in the store, whatever happens to
// connections in between; one key's bad row never fails its neighbours. It gives up only when `closing` aborts.
//
// After an unanswered flush the same flush is tried again: each write is guarded by its version or its key, so it cannot apply twice.
// What then misses is read: the row carries the operation's own write token, or somebody else's.
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { Fault, messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { pause, type Timers } from '../runtime/timers.ts';
import { closedFault } from './closed-fault.ts';
import type { FlushAnswer, Flusher, RefusedRow } from './flush.ts';
import {
  answerMissed,
  answerQuarantined,
  answerWritten,
  flushOf,
  type Operation,
  type Task,
  writeTokenOf,
} from './flush-queue.ts';

export interface SettlementDeps {
  readonly flusher: Flusher;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Told after each try: null when the store answered, else why it did not. */
  readonly onTry: (failure: string | null) => void;
  readonly closing: AbortSignal;
}

const FIRST_RETRY_MS = 20;
/** Longest pause between two tries; they go on until `closing`. */
const MAX_RETRY_MS = 2_000;

type RolledOut = Exclude<FlushAnswer, { kind: 'conflict' | 'unanswered' }>;

/** Answers every operation among `tasks`. @throws Fault STATE_CLOSED; what is then unanswered has an unknown fate. */
export async function settleFlush(deps: SettlementDeps, tasks: readonly Task[]): Promise<void> {
  const answer = await commitUntilAnswered(deps, tasks);
  if (answer.kind === 'committed') return answerCommitted(deps, tasks, answer.rows);
  const [only] = tasks;
  if (tasks.length === 1 && only !== undefined) return quarantineTask(deps, only, answer.reason);
  const middle = Math.ceil(tasks.length / 2);
  await settleFlush(deps, tasks.slice(0, middle));
  await settleFlush(deps, tasks.slice(middle));
}

async function commitUntilAnswered(deps: SettlementDeps, tasks: readonly Task[]): Promise<RolledOut> {
  const flush = flushOf(tasks);
  return untilAnswered(deps, async () => {
    const answer = await deps.flusher.commit(flush);
    if (answer.kind === 'committed' || answer.kind === 'refused') return answer;
    if (answer.kind === 'unanswered') for (const task of tasks) doubt(task);
    throw new Fault('STATE_UNAVAILABLE', `${answer.kind}: ${answer.reason}`, { retriable: true });
  });
}

function doubt(task: Task): void {
  if (task.kind !== 'mark') task.isUncertain = true;
}

async function answerCommitted(
  deps: SettlementDeps,
  tasks: readonly Task[],
  rows: ReadonlyMap<NotificationId, Notification>,
): Promise<void> {
  const unclear: Operation[] = [];
  for (const task of tasks) {
    if (task.kind === 'mark') continue;
    const row = rows.get(task.id);
    if (row !== undefined) answerWritten(task, row);
    else if (task.isUncertain) unclear.push(task);
    else answerMissed(task);
  }
  if (unclear.length > 0) await answerFromRows(deps, unclear);
}

/** A miss after an unanswered try: was it our own earlier try that won? */
async function answerFromRows(deps: SettlementDeps, operations: readonly Operation[]): Promise<void> {
  const found = await untilAnswered(deps, () => deps.flusher.read(operations.map(({ id }) => id)));
  for (const operation of operations) {
    const there = found.get(operation.id);
    if (there?.writeToken === writeTokenOf(operation)) answerWritten(operation, there.row);
    else answerMissed(operation);
  }
}

async function quarantineTask(deps: SettlementDeps, task: Task, reason: string): Promise<void> {
  await untilAnswered(deps, () => deps.flusher.quarantine(refusedRow(task, reason)));
  deps.logger.error('state.row-refused', { notification_id: task.id, operation: task.kind, detail: reason });
  if (task.kind !== 'mark') answerQuarantined(task, reason);
}

function refusedRow(task: Task, reason: string): RefusedRow {
  const origin = task.kind === 'mark' ? `mark/${task.id}/${task.outcomeSeq}` : `write/${writeTokenOf(task)}`;
  const value = task.kind === 'mark' ? task : task.kind === 'insert' ? task.insertion : task.write;
  return { id: task.id, reason, origin, value: Buffer.from(JSON.stringify(value)) };
}

async function untilAnswered<T>(deps: SettlementDeps, attempt: () => Promise<T>): Promise<T> {
  for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)) {
    try {
      const value = await attempt();
      deps.onTry(null);
      return value;
    } catch (error) {
      if (!(error instanceof Fault) || !error.retriable) throw error;
      deps.onTry(messageOf(error));
    }
    if (!deps.closing.aborted) await pause(deps.timers, delayMs, deps.closing);
    if (deps.closing.aborted) throw closedFault('a write was given up unanswered');
  }
}
