// Forgets what is old: final rows shrink to tombstones, tombstones and what was kept beside the rows are deleted in the end. One process at a
// time, under a lock, in small batches with a pause between them, so that notifications on their way do not notice. A pass that dies is
// repeated by the next holder; nothing is ever done twice.
import { pause } from '../runtime/timers.ts';
import { EXPIRING, type Expiring, MAX_PURGE_ROWS, type PurgeCursor } from '../state/retention.ts';
import type { Engine } from './engine.ts';

export const PURGE_LOCK = 'notifications:retention';
/** Between two batches: at most MAX_PURGE_ROWS rows in it, 2,500 a second. */
const BATCH_PAUSE_MS = 200;
/** Of each kind in one pass; the next pass goes on. */
const MAX_BATCHES = 100_000;

export type PurgeResult = Readonly<Record<Expiring | 'final', number>>;

/** One pass; null when another process holds the lock. @throws Fault STATE_UNAVAILABLE (retriable) */
export function purgeOnce(engine: Engine): Promise<PurgeResult | null> {
  return engine.store.underLock(PURGE_LOCK, async (signal) => {
    const isOver = () => signal.aborted || engine.stopping.aborted;
    const result = { final: await purgeFinals(engine, isOver) } as Record<Expiring | 'final', number>;
    for (const what of EXPIRING) result[what] = await expireAll(engine, what, isOver);
    return result;
  });
}

async function purgeFinals(engine: Engine, isOver: () => boolean): Promise<number> {
  const { finalMs: keepMs, unreadMs: keepUnreadMs } = engine.settings.retention;
  let after: PurgeCursor | null = null;
  let total = 0;
  for (let batches = 0; batches < MAX_BATCHES && !isOver(); batches += 1) {
    const limit = MAX_PURGE_ROWS;
    const { purged, next } = await engine.store.purgeFinal({ after, limit, keepMs, keepUnreadMs });
    count(engine, 'final', purged);
    total += purged;
    if (next === null) break;
    after = next;
    await pause(engine.timers, BATCH_PAUSE_MS, engine.stopping);
  }
  return total;
}

async function expireAll(engine: Engine, what: Expiring, isOver: () => boolean): Promise<number> {
  const keepMs = engine.settings.retention.keptMs[what];
  let total = 0;
  for (let batches = 0; batches < MAX_BATCHES && !isOver(); batches += 1) {
    const expired = await engine.store.expire(what, keepMs, MAX_PURGE_ROWS);
    count(engine, what, expired);
    total += expired;
    if (expired < MAX_PURGE_ROWS) break;
    await pause(engine.timers, BATCH_PAUSE_MS, engine.stopping);
  }
  return total;
}

function count(engine: Engine, kind: Expiring | 'final', rows: number): void {
  if (rows > 0) engine.metrics.increment('pin_purged_total', { kind }, rows);
}
