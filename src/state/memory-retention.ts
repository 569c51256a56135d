// Retention of the in-memory store: the same rows go as the statements take.
import { committedRow } from '../domain/committed-row.ts';
import { isInInbox } from '../domain/inbox.ts';
import type { Notification } from '../domain/notification.ts';
import { PURGED, tombstoneState } from '../domain/tombstone.ts';
import { appendTrail } from '../domain/trail.ts';
import { invariant } from '../runtime/fault.ts';
import type { MemoryDatabase, MemoryRow } from './memory-database.ts';
import type { StepRunner } from './memory-faults.ts';
import {
  type Expiring,
  MAX_PURGE_ROWS,
  type PurgeBatch,
  type PurgedBatch,
  type Retention,
} from './retention.ts';

export function memoryRetention(database: MemoryDatabase, step: StepRunner): Retention {
  return {
    purgeFinal: (batch) => step('sweep', [], () => purge(database, batch)),
    expire: (what, keepMs, limit) => {
      invariant(limit <= MAX_PURGE_ROWS, `a batch of ${limit} rows`);
      return step('sweep', [], () => expire(database, what, database.clock.nowMs() - keepMs, limit));
    },
  };
}

function purge(database: MemoryDatabase, { after, limit, keepMs, keepUnreadMs }: PurgeBatch): PurgedBatch {
  invariant(limit <= MAX_PURGE_ROWS, `a batch of ${limit} rows`);
  const nowMs = database.clock.nowMs();
  const old = [...database.rows.values()]
    .filter(({ row, content }) => content !== null && row.createdAtMs < nowMs - keepMs)
    .filter(({ row }) => after === null || isLater(row, after.storedAtMs, after.id))
    .sort((a, b) => (isLater(a.row, b.row.createdAtMs, b.row.id) ? 1 : -1))
    .slice(0, limit);
  const shrunk = old.filter(({ row }) => isPurgeable(row, nowMs - keepMs, nowMs - keepUnreadMs));
  for (const one of shrunk) database.rows.set(one.row.id, tombstoneOf(one, nowMs));
  const last = old.length < limit ? undefined : old.at(-1);
  return {
    purged: shrunk.length,
    next: last === undefined ? null : { storedAtMs: last.row.createdAtMs, id: last.row.id },
  };
}

function isLater({ createdAtMs, id }: Notification, atMs: number, thanId: string): boolean {
  return createdAtMs > atMs || (createdAtMs === atMs && id > thanId);
}

function isPurgeable(row: Notification, beforeMs: number, unreadBeforeMs: number): boolean {
  const isOver = row.final !== null && row.publishedSeq === row.outcomeSeq && row.wakeAtMs === null;
  if (!isOver || row.claim !== null) return false;
  if (Math.max(row.createdAtMs, row.lastAttemptAtMs ?? 0, row.outcomeAtMs ?? 0) >= beforeMs) return false;
  const arrivedAtMs = Math.max(row.createdAtMs, row.notBeforeMs ?? 0);
  return !(isInInbox(row) && row.readAtMs === null && arrivedAtMs >= unreadBeforeMs);
}

function tombstoneOf({ row, payloadHash, writeToken }: MemoryRow, nowMs: number): MemoryRow {
  const atMs = Math.floor(nowMs);
  const shrunk = committedRow(tombstoneState(row), {
    ...row,
    version: row.version + 1,
    nextAttemptAtMs: null,
    firstAttemptAtMs: null,
    lastAttemptAtMs: null,
    trail: appendTrail('', PURGED, atMs),
  });
  return { row: shrunk, content: null, payloadHash, writeToken, purgedAtMs: atMs };
}

function expire(database: MemoryDatabase, what: Expiring, beforeMs: number, limit: number): number {
  const old = oldOf(database, what, beforeMs).slice(0, limit);
  for (const remove of old) remove();
  return old.length;
}

/** What there is to delete, the oldest first. */
function oldOf(database: MemoryDatabase, what: Expiring, beforeMs: number): readonly (() => void)[] {
  const { rows, messages, refusedCommands, quarantine } = database;
  const olderIn = <K, V>(map: Map<K, V>, atMsOf: (value: V) => number | null) =>
    [...map].flatMap(([key, value]) => {
      const atMs = atMsOf(value);
      return atMs !== null && atMs < beforeMs ? [() => void map.delete(key)] : [];
    });
  switch (what) {
    case 'tombstones':
      return olderIn(rows, ({ row, content, purgedAtMs }) => {
        const isDead = content === null && row.final !== null && row.wakeAtMs === null;
        return isDead ? (purgedAtMs ?? row.createdAtMs) : null;
      });
    case 'message-refs':
      return olderIn(messages, ({ namedAtMs }) => namedAtMs);
    case 'refused-commands':
      return olderIn(refusedCommands, (refusedAtMs) => refusedAtMs);
    case 'quarantine':
      return olderIn(quarantine, ({ atMs }) => atMs);
  }
}
