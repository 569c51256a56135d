// Folds one answer into the row until the row says it: a stale write is reloaded and the same answer folded again. What the row owes
// is published before the answer changes it.
import type { Change } from '../domain/change.ts';
import type { Notification, Status } from '../domain/notification.ts';
import { owesOutcome } from '../domain/obligation.ts';
import type { Content } from '../domain/request.ts';
import { InvariantBroken } from '../runtime/fault.ts';
import type { Engine } from './engine.ts';
import { publishOutcome } from './obligations.ts';
import { commitChange, loadStored } from './subject.ts';

export interface Current {
  readonly row: Notification;
  readonly content: Content | null;
}

export interface Folded extends Current {
  /** The status that the answer met. */
  readonly from: Status;
}

export interface FoldedAnswer {
  /** Null: the row says it already. */
  readonly fold: (row: Notification) => Change | null;
  /** Tells this answer from all others, also from those of the same attempt. */
  readonly token: string;
  readonly attempt: number;
  /** For people, when there is no row any more: kind and sanitised id or code. */
  readonly said: string;
}

/** Other writers of one key are few: a zombie, its successor, a sweep. */
const MAX_FOLDS = 100;

/** The row with the answer in it; null when the row said it already, is gone, or was refused by the table. */
export async function foldUntilRecorded(
  engine: Engine,
  start: Current,
  answer: FoldedAnswer,
): Promise<Folded | null> {
  let current = start;
  for (let tries = 0; tries < MAX_FOLDS; tries += 1) {
    if (owesOutcome(current.row))
      current = { ...current, row: await publishOutcome(engine, current.row, current.content) };
    const change = answer.fold(current.row);
    if (change === null) return null;
    const committed = await commitChange(engine, { kind: 'stored', ...current }, change);
    if (committed.kind === 'committed')
      return { row: committed.row, content: current.content, from: current.row.status };
    if (committed.kind === 'quarantined') return null;
    const stored = await loadStored(engine, current.row.id, 'until-end');
    if (stored === null || isPurged(stored)) {
      await quarantineLateAnswer(engine, current.row, answer);
      return null;
    }
    current = { row: stored.row, content: stored.content };
  }
  throw new InvariantBroken(`an answer could not be recorded for ${current.row.id}`);
}

/** What is left of a purged row can neither be told nor sent: a late answer is for people. */
function isPurged({ row, content }: Current): boolean {
  return content === null && row.final !== null;
}

/** The row was purged meanwhile. It came from no topic: the answer's token, cycle and attempt stand where an origin would. */
async function quarantineLateAnswer(engine: Engine, row: Notification, answer: FoldedAnswer): Promise<void> {
  await engine.outages.riding(
    'postgres',
    () =>
      engine.store.quarantine({
        reason: 'late-answer',
        detail: `cycle ${row.cycle}, attempt ${answer.attempt} found no row: ${answer.said}`,
        topic: `answer/${answer.token}`,
        partition: row.cycle,
        offset: String(answer.attempt),
        key: new TextEncoder().encode(row.id),
        value: null,
      }),
    'until-end',
  );
  engine.metrics.increment('pin_quarantined_total', { reason: 'late-answer' });
}
