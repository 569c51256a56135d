// The store without a server, for tests and the simulator: same answers as Postgres, time by the given clock only.
import type { NotificationId } from '../domain/notification-id.ts';
import type { Clock } from '../runtime/clock.ts';
import { Fault, invariant } from '../runtime/fault.ts';
import {
  insertRow,
  type MemoryDatabase,
  markRow,
  memoryDatabase,
  type RowAnswer,
  rowsAfter,
  storedOf,
  updateRow,
} from './memory-database.ts';
import {
  type InsertAnswer,
  type Insertion,
  MAX_LOAD_KEYS,
  type NotificationStore,
  type RowWrite,
  type WriteAnswer,
} from './store.ts';

export interface MemoryStoreDeps {
  readonly clock: Clock;
  /** Shared with other stores, as processes share a Postgres; its own when left out. */
  readonly database?: MemoryDatabase;
}

export function memoryStore(deps: MemoryStoreDeps): NotificationStore {
  const database = deps.database ?? memoryDatabase(deps);
  const now = () => database.clock.nowMs();
  const abort = new AbortController();
  const open = async () => {
    await Promise.resolve();
    if (abort.signal.aborted) throw new Fault('STATE_CLOSED', 'the store is closed', { retriable: false });
  };
  const answered = (id: NotificationId, answer: RowAnswer): RowAnswer | QuarantinedAnswer => {
    if (answer.kind !== 'refused') return answer;
    database.quarantine.push({
      reason: 'row-refused',
      detail: answer.reason,
      notificationId: id,
      topic: null,
      partition: null,
      offset: null,
      key: Buffer.from(id),
      value: null,
      atMs: now(),
    });
    return { kind: 'quarantined', reason: answer.reason };
  };
  return {
    async load(ids) {
      invariant(ids.length <= MAX_LOAD_KEYS, `load of ${ids.length} keys`);
      await open();
      const found = ids.flatMap((id) => {
        const row = database.rows.get(id);
        return row === undefined ? [] : [[id, storedOf(row)] as const];
      });
      return { nowMs: now(), found: new Map(found) };
    },
    async insert(insertion: Insertion) {
      await open();
      return answered(insertion.change.next.id, insertRow(database, insertion)) as InsertAnswer;
    },
    async write(write: RowWrite) {
      await open();
      return answered(write.change.next.id, updateRow(database, write)) as WriteAnswer;
    },
    mark: (id, outcomeSeq) => markRow(database, id, outcomeSeq),
    drainMarks: open,
    ...sweeping(database, open),
    async quarantine(input) {
      await open();
      database.quarantine.push({ ...input, notificationId: null, atMs: now() });
    },
    async channels() {
      await open();
      return [...database.channels.values()];
    },
    async saveChannel(config) {
      await open();
      database.channels.set(config.channel, config);
    },
    async partitionCount(count) {
      await open();
      const stored = database.settings.get('partition-count') ?? count;
      database.settings.set('partition-count', stored);
      return stored;
    },
    close() {
      abort.abort();
      return Promise.resolve();
    },
  };
}

type QuarantinedAnswer = { readonly kind: 'quarantined'; readonly reason: string };
type Sweeping = Pick<
  NotificationStore,
  'overdue' | 'held' | 'heldCounts' | 'wakeEnteredLog' | 'underLock' | 'lastSweepMs' | 'sweepFinished'
>;

function sweeping(database: MemoryDatabase, open: () => Promise<void>): Sweeping {
  return {
    async overdue({ after, limit, aheadMs }) {
      await open();
      const nowMs = database.clock.nowMs();
      const rows = rowsAfter(database, after).flatMap(({ id, wakeAtMs, wakeSeq, wakeInLog }) =>
        wakeAtMs !== null && wakeAtMs <= nowMs + aheadMs ? [{ id, wakeAtMs, wakeSeq, wakeInLog }] : [],
      );
      return { nowMs, rows: rows.slice(0, limit) };
    },
    async held({ channel, hold, after, limit }) {
      await open();
      return rowsAfter(database, after)
        .filter((row) => row.channel === channel && row.hold === hold)
        .slice(0, limit)
        .map(({ id, wakeSeq }) => ({ id, channel, hold, wakeSeq }));
    },
    async heldCounts() {
      await open();
      const counts = new Map<string, Awaited<ReturnType<NotificationStore['heldCounts']>>[number]>();
      for (const { row } of database.rows.values()) {
        if (row.hold === null) continue;
        const key = `${row.channel} ${row.hold}`;
        counts.set(key, { channel: row.channel, hold: row.hold, count: (counts.get(key)?.count ?? 0) + 1 });
      }
      return [...counts.values()];
    },
    async wakeEnteredLog(rows) {
      await open();
      for (const { id, wakeSeq } of rows) {
        const found = database.rows.get(id);
        if (found?.row.wakeSeq === wakeSeq && found.row.wakeAtMs !== null) {
          database.rows.set(id, { ...found, row: { ...found.row, wakeInLog: true } });
        }
      }
    },
    async underLock(lock, pass) {
      await open();
      if (database.locks.has(lock)) return null;
      database.locks.add(lock);
      try {
        return await pass(new AbortController().signal);
      } finally {
        database.locks.delete(lock);
      }
    },
    async lastSweepMs() {
      await open();
      return database.settings.get('last-sweep-ms') ?? null;
    },
    async sweepFinished(startedAtMs) {
      await open();
      database.settings.set('last-sweep-ms', startedAtMs);
    },
  };
}
