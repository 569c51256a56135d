// The tables of the in-memory store. Several stores may share one database, as several processes share one Postgres.
// It promises what the tables promise: a row is whole, a refused row leaves no trace. It never waits and knows no process.

import type { Channel, ChannelConfig } from '../domain/channel.ts';
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { Content } from '../domain/request.ts';
import type { Clock } from '../runtime/clock.ts';
import { changedRow, insertedRow, markedRow } from './applied-change.ts';
import { refusalOf } from './row-checks.ts';
import type { Insertion, QuarantinedInput, RowWrite, Stored } from './store.ts';

export interface MemoryRow {
  readonly row: Notification;
  readonly content: Content | null;
  readonly payloadHash: string;
  readonly writeToken: string;
}

/** Something that could not become, or stay, a row. */
export interface QuarantinedEntry extends Omit<QuarantinedInput, 'topic' | 'partition' | 'offset'> {
  readonly notificationId: NotificationId | null;
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: string | null;
  readonly atMs: number;
}

export type RowAnswer =
  | { readonly kind: 'written'; readonly row: Notification }
  | { readonly kind: 'exists' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'refused'; readonly reason: string };

export interface MemoryDatabase {
  readonly clock: Clock;
  readonly rows: Map<NotificationId, MemoryRow>;
  readonly channels: Map<Channel, ChannelConfig>;
  readonly quarantine: QuarantinedEntry[];
  readonly locks: Set<string>;
  readonly settings: Map<'partition-count' | 'last-sweep-ms', number>;
}

export function memoryDatabase(deps: { readonly clock: Clock }): MemoryDatabase {
  return {
    clock: deps.clock,
    rows: new Map(),
    channels: new Map(),
    quarantine: [],
    locks: new Set(),
    settings: new Map(),
  };
}

/** `INSERT … ON CONFLICT DO NOTHING` of row and content. */
export function insertRow(database: MemoryDatabase, insertion: Insertion): RowAnswer {
  const { change, content, writeToken } = insertion;
  if (database.rows.has(change.next.id)) return { kind: 'exists' };
  const row = insertedRow(change, database.clock.nowMs());
  const reason = refusalOf(row, content);
  if (reason !== null) return { kind: 'refused', reason };
  database.rows.set(row.id, { row, content, payloadHash: content.payloadHash, writeToken });
  return { kind: 'written', row };
}

/** `UPDATE … WHERE version = expected`. */
export function updateRow(database: MemoryDatabase, write: RowWrite): RowAnswer {
  const before = database.rows.get(write.change.next.id);
  if (before?.row.version !== write.expectedVersion) return { kind: 'stale' };
  const row = changedRow(before.row, write.change, database.clock.nowMs());
  const reason = refusalOf(row, null);
  if (reason !== null) return { kind: 'refused', reason };
  database.rows.set(row.id, { ...before, row, writeToken: write.writeToken });
  return { kind: 'written', row };
}

/** Only the marked columns; the version stays. A mark that the row's constraints refuse changes nothing. */
export function markRow(database: MemoryDatabase, id: NotificationId, outcomeSeq: number): void {
  const before = database.rows.get(id);
  if (before === undefined) return;
  const row = markedRow(before.row, outcomeSeq);
  if (refusalOf(row, null) === null) database.rows.set(id, { ...before, row });
}

export function storedOf(found: MemoryRow): Stored {
  return { row: found.row, content: found.content, payloadHash: found.payloadHash };
}

/** Rows with id > `after`, by id. */
export function rowsAfter(database: MemoryDatabase, after: NotificationId | null): readonly Notification[] {
  return [...database.rows.values()]
    .map(({ row }) => row)
    .filter((row) => after === null || row.id > after)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
