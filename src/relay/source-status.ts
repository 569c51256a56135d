// How far one source is: what is open and not relayed, what waits for its outcome, what failed. Counts are read one after another from
// tables that move, so they are close and not exact.
import type { Outbox, Place } from './outbox.ts';
import type { ProgressCounts, RelayProgress } from './progress.ts';

export interface SourceStatus extends ProgressCounts {
  readonly source: string;
  /** Open rows that the log does not have yet. */
  readonly pending: number;
  /** When the oldest of them was written; null: nothing is pending, or it is not said. */
  readonly oldestAtMs: number | null;
  /** Rows that say they failed. */
  readonly dead: number;
}

const PAGE_ROWS = 1_000;
/** Rows that wait for their outcome stand before the oldest pending one; beyond so many the place reached is the answer. */
const MAX_PAGES = 50;

/** @throws Fault STATE_UNAVAILABLE (retriable) */
export async function sourceStatus(outbox: Outbox, progress: RelayProgress): Promise<SourceStatus> {
  const source = outbox.source.key;
  const [{ open, failed }, counts] = await Promise.all([outbox.counts(), progress.counts(source)]);
  const oldest = await oldestPending(outbox, progress);
  const waiting = outbox.tellsOutcomes ? counts.waiting + counts.unstamped : open - oldest.unknown;
  const pending = oldest.found ? Math.max(1, open - waiting) : 0;
  return { source, ...counts, pending, oldestAtMs: oldest.atMs, dead: failed };
}

async function oldestPending(outbox: Outbox, progress: RelayProgress) {
  let place: Place | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await outbox.page(place, PAGE_ROWS);
    const known = new Set(
      await progress.known(
        outbox.source.key,
        page.rows.map(({ id }) => id),
      ),
    );
    const pending = page.rows.filter(({ id }) => !known.has(id));
    const [first] = pending;
    if (first !== undefined) return { found: true, atMs: first.atMs, unknown: pending.length };
    if (page.last === null || page.rows.length < PAGE_ROWS) return { found: false, atMs: null, unknown: 0 };
    place = page.last;
  }
  const [next] = (await outbox.page(place, 1)).rows;
  return { found: next !== undefined, atMs: next?.atMs ?? null, unknown: 0 };
}
