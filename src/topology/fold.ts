// Folds one answer into the row until the row says it: a stale write is reloaded and the same answer folded again. What the row owes
// is published before the answer changes it.
import type { Change } from '../domain/change.ts';
import type { Notification } from '../domain/notification.ts';
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

/** Other writers of one key are few: a zombie, its successor, a sweep. */
const MAX_FOLDS = 100;

/** The row with the answer in it; null when the row said it already, is gone, or was refused by the table. */
export async function foldUntilRecorded(
  engine: Engine,
  start: Current,
  fold: (row: Notification) => Change | null,
): Promise<Current | null> {
  let current = start;
  for (let tries = 0; tries < MAX_FOLDS; tries += 1) {
    if (owesOutcome(current.row))
      current = { ...current, row: await publishOutcome(engine, current.row, current.content) };
    const change = fold(current.row);
    if (change === null) return null;
    const committed = await commitChange(engine, { kind: 'stored', ...current }, change);
    if (committed.kind === 'committed') return { row: committed.row, content: current.content };
    if (committed.kind === 'quarantined') return null;
    const stored = await loadStored(engine, current.row.id, 'until-end');
    if (stored === null) {
      await quarantineLateAnswer(engine, current.row);
      return null;
    }
    current = { row: stored.row, content: stored.content };
  }
  throw new InvariantBroken(`an answer could not be recorded for ${current.row.id}`);
}

async function quarantineLateAnswer(engine: Engine, row: Notification): Promise<void> {
  engine.metrics.increment('pin_quarantined_total', { reason: 'late-answer' });
  await engine.outages.riding(
    'postgres',
    () =>
      engine.store.quarantine({
        reason: 'late-answer',
        detail: `the answer of cycle ${row.cycle}, attempt ${row.attempts} found no row`,
        topic: '',
        partition: -1,
        offset: '',
        key: new TextEncoder().encode(row.id),
        value: null,
      }),
    'until-end',
  );
}
