// The tables of the in-memory store. Several stores may share one database, as several processes share one Postgres.
// It promises what the tables promise: what a statement would make of a row, or which constraint would refuse it.
// It never waits and knows no process; nothing is changed until a flusher puts the next rows in.
import type { Change } from '../domain/change.ts';
import type { Channel, ChannelConfig } from '../domain/channel.ts';
import { changed } from '../domain/committed-row.ts';
import type { TaskLife } from '../domain/deaths.ts';
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { OperatorGate } from '../domain/operator-gate.ts';
import type { Pause, PauseKey } from '../domain/pause.ts';
import type { ParkedWebhook } from '../domain/provider-webhook.ts';
import type { Content } from '../domain/request.ts';
import type { Clock } from '../runtime/clock.ts';
import { changedRow, insertedRow, markedRow } from './applied-change.ts';
import type { RegisteredToken } from './push-tokens.ts';
import { refusalOf } from './row-checks.ts';
import type { Insertion, MessageRef, QuarantinedInput, RowWrite, SeenGate } from './store.ts';

export interface MemoryRow {
  readonly row: Notification;
  readonly content: Content | null;
  readonly payloadHash: string;
  readonly writeToken: string;
  /** Of a tombstone. */
  readonly purgedAtMs?: number;
}

/** Something that could not become, or stay, a row. */
interface QuarantinedEntry extends Omit<QuarantinedInput, 'topic' | 'partition' | 'offset'> {
  readonly notificationId: NotificationId | null;
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: string | null;
  readonly atMs: number;
}

export interface MemoryParked {
  readonly webhook: ParkedWebhook;
  readonly expiresAtMs: number;
}

export function messageKey({ provider, messageId }: MessageRef): string {
  return JSON.stringify([provider, messageId]);
}

export interface MemoryDatabase {
  readonly clock: Clock;
  readonly rows: Map<NotificationId, MemoryRow>;
  readonly channels: Map<Channel, ChannelConfig>;
  readonly pauses: Map<PauseKey, Pause>;
  /** By provider. */
  readonly gates: Map<string, OperatorGate>;
  /** By provider and process. */
  readonly seenGates: Map<string, SeenGate>;
  /** Ids of commands that met no row, and when. */
  readonly refusedCommands: Map<string, number>;
  /** By provider and message id; see `messageKey`. */
  readonly messages: Map<string, { readonly id: NotificationId; readonly namedAtMs: number }>;
  /** By event id, in the order of parking. */
  readonly parked: Map<string, MemoryParked>;
  /** By provider and token. */
  readonly pushTokens: Map<string, RegisteredToken>;
  /** By origin: the same input is kept once. */
  readonly quarantine: Map<string, QuarantinedEntry>;
  /** By partition. */
  readonly lives: Map<number, TaskLife>;
  /** Named locks and how their holders learn that they lost them. */
  readonly locks: Map<string, AbortController>;
  readonly settings: Map<'partition-count' | 'last-sweep-ms', number>;
}

export type RowAnswer =
  | { readonly kind: 'changed'; readonly next: MemoryRow }
  | { readonly kind: 'missed' }
  | { readonly kind: 'refused'; readonly reason: string };

export function memoryDatabase(deps: { readonly clock: Clock }): MemoryDatabase {
  return {
    clock: deps.clock,
    rows: new Map(),
    channels: new Map(),
    pauses: new Map(),
    gates: new Map(),
    seenGates: new Map(),
    refusedCommands: new Map(),
    messages: new Map(),
    parked: new Map(),
    pushTokens: new Map(),
    quarantine: new Map(),
    lives: new Map(),
    locks: new Map(),
    settings: new Map(),
  };
}

/** `INSERT … ON CONFLICT DO NOTHING` of row and content. */
export function insertedRowIn(database: MemoryDatabase, insertion: Insertion): RowAnswer {
  const { change, content, writeToken } = insertion;
  if (database.rows.has(change.next.id)) return { kind: 'missed' };
  const row = insertedRow(change, database.clock.nowMs());
  return checked({ row, content, payloadHash: content?.payloadHash ?? '', writeToken });
}

/** `UPDATE … WHERE version = expected`. */
export function updatedRowIn(database: MemoryDatabase, write: RowWrite): RowAnswer {
  const before = database.rows.get(write.change.next.id);
  if (before?.row.version !== write.expectedVersion) return { kind: 'missed' };
  const { content, change, writeToken } = write;
  if (content === undefined) {
    const row = changedRow(before.row, asBorn(before.row, change), database.clock.nowMs());
    return checked({ ...before, row, writeToken });
  }
  const row = changedRow(before.row, change, database.clock.nowMs());
  return checked({ row, content, payloadHash: content.payloadHash, writeToken });
}

/** An update does not write what is set at birth. Rules do not change it either: mostly the change is as it was. */
function asBorn(before: Notification, change: Change): Change {
  const { next } = change;
  const { tenantId, channel, inAppUserId, notBeforeMs, notAfterMs, requestedAtMs } = before;
  const isAsBorn =
    next.tenantId === tenantId &&
    next.channel === channel &&
    next.inAppUserId === inAppUserId &&
    next.notBeforeMs === notBeforeMs &&
    next.notAfterMs === notAfterMs &&
    next.requestedAtMs === requestedAtMs;
  if (isAsBorn) return change;
  const born = { tenantId, channel, inAppUserId, notBeforeMs, notAfterMs, requestedAtMs };
  return { ...change, next: changed(next, born) };
}

/** Only the marked columns; the version stays. */
export function markedRowIn(database: MemoryDatabase, id: NotificationId, outcomeSeq: number): RowAnswer {
  const before = database.rows.get(id);
  if (before === undefined) return { kind: 'missed' };
  return checked({ ...before, row: markedRow(before.row, outcomeSeq) });
}

function checked(next: MemoryRow): RowAnswer {
  const reason = refusalOf(next);
  return reason === null ? { kind: 'changed', next } : { kind: 'refused', reason };
}

/** Rows with id > `after`, by id. */
export function rowsAfter(database: MemoryDatabase, after: NotificationId | null): readonly Notification[] {
  return [...database.rows.values()]
    .map(({ row }) => row)
    .filter((row) => after === null || row.id > after)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
