// The sweeper's questions to the in-memory store. They never write a row, but for `wakeInLog`.
import { changed } from '../domain/committed-row.ts';
import { type MemoryDatabase, rowsAfter } from './memory-database.ts';
import type { StepRunner } from './memory-faults.ts';
import type { NotificationStore } from './store.ts';

type Sweeps = Pick<
  NotificationStore,
  'overdue' | 'held' | 'heldCounts' | 'wakeEnteredLog' | 'lastSweepMs' | 'sweepFinished'
>;

export function memorySweeps(database: MemoryDatabase, step: StepRunner): Sweeps {
  return {
    overdue: ({ after, limit, aheadMs }) =>
      step('sweep', [], () => {
        const nowMs = database.clock.nowMs();
        const due = rowsAfter(database, after).flatMap(
          ({ id, wakeAtMs, wakeSeq, wakeInLog, claim, final }) => {
            const isResting = !wakeInLog && claim === null && final === null;
            const untilMs = isResting ? nowMs + aheadMs : nowMs;
            return wakeAtMs !== null && wakeAtMs <= untilMs ? [{ id, wakeAtMs, wakeSeq, wakeInLog }] : [];
          },
        );
        return { nowMs, rows: due.slice(0, limit) };
      }),
    held: ({ channel, hold, after, limit }) =>
      step('sweep', [], () =>
        rowsAfter(database, after)
          .filter((row) => row.channel === channel && row.hold === hold)
          .slice(0, limit)
          .map(({ id, wakeSeq }) => ({ id, channel, hold, wakeSeq })),
      ),
    heldCounts: () => step('sweep', [], () => countHeld(database)),
    wakeEnteredLog: (rows) =>
      step('sweep', [], () => {
        for (const { id, wakeSeq } of rows) {
          const there = database.rows.get(id);
          if (there?.row.wakeSeq !== wakeSeq || there.row.wakeAtMs === null) continue;
          database.rows.set(id, { ...there, row: changed(there.row, { wakeInLog: true }) });
        }
      }),
    lastSweepMs: () => step('sweep', [], () => database.settings.get('last-sweep-ms') ?? null),
    sweepFinished: (startedAtMs) =>
      step('sweep', [], () => void database.settings.set('last-sweep-ms', startedAtMs)),
  };
}

type HeldCount = Awaited<ReturnType<NotificationStore['heldCounts']>>[number];

function countHeld(database: MemoryDatabase): readonly HeldCount[] {
  const counts = new Map<string, HeldCount>();
  for (const { row } of database.rows.values()) {
    if (row.hold === null) continue;
    const key = `${row.channel} ${row.hold}`;
    counts.set(key, { channel: row.channel, hold: row.hold, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
