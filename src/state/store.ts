// The store as a port. It promises: a write is committed or it is not, and the answer says which (a COMMIT whose answer was lost is
// resolved by reading the row); one key's bad row never fails its neighbours; times come from the store's own clock.
// It never decides anything: rules do, and hand over a Change. Two implementations (Postgres, memory) pass one contract suite.

import type { Change } from '../domain/change.ts';
import type { Channel, ChannelConfig } from '../domain/channel.ts';
import type { TaskLife } from '../domain/deaths.ts';
import type { Hold } from '../domain/hold.ts';
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { OperatorGate } from '../domain/operator-gate.ts';
import type { Pause, PauseKey } from '../domain/pause.ts';
import type { ParkedWebhook, ProviderWebhook } from '../domain/provider-webhook.ts';
import type { Content } from '../domain/request.ts';
import type { PushTokens } from './push-tokens.ts';
import type { Retention } from './retention.ts';

export interface Stored {
  readonly row: Notification;
  /** null: the row was shrunk to a tombstone. */
  readonly content: Content | null;
  /** SHA-256 (hex) of the payload; outlives the content. */
  readonly payloadHash: string;
}

export interface Loaded {
  /** The store's clock at the read, epoch ms. */
  readonly nowMs: number;
  readonly found: ReadonlyMap<NotificationId, Stored>;
}

export interface Insertion {
  readonly change: Change;
  /** null: the row keeps the place of a request that has not come. */
  readonly content: Content | null;
  /** uuid, unique per insertion; survives retries of the flush: how a lost COMMIT answer is resolved. */
  readonly writeToken: string;
}

export interface RowWrite {
  readonly expectedVersion: number;
  readonly change: Change;
  /** As in Insertion. */
  readonly writeToken: string;
  /** The content of a request that takes the place of a row without one; also what is set at birth is written anew then. */
  readonly content?: Content;
  /** Messages that the change made known and whose webhooks will not name the notification. */
  readonly messages?: readonly MessageRef[];
}

/** A message by the name that its provider gave it. */
export interface MessageRef {
  readonly provider: string;
  readonly messageId: string;
}

export type InsertAnswer =
  | { readonly kind: 'written'; readonly row: Notification }
  /** The id was there already: load it. */
  | { readonly kind: 'exists' }
  /** Postgres refused this row for itself; it is in table `quarantine`. */
  | { readonly kind: 'quarantined'; readonly reason: string };

export type WriteAnswer =
  | { readonly kind: 'written'; readonly row: Notification }
  /** Another version is there (or none): reload and decide again. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'quarantined'; readonly reason: string };

export interface QuarantinedInput {
  readonly reason: string;
  readonly detail: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}

/** A row that owes a wake-up, as the sweeper sees it. */
export interface OverdueRow {
  readonly id: NotificationId;
  readonly wakeAtMs: number;
  readonly wakeSeq: number;
  readonly wakeInLog: boolean;
}

export interface HeldRow {
  readonly id: NotificationId;
  readonly channel: Channel;
  readonly hold: Hold;
  readonly wakeSeq: number;
}

export interface SweepPage {
  readonly nowMs: number;
  readonly rows: readonly OverdueRow[];
}

export interface Controls {
  readonly channels: readonly ChannelConfig[];
  readonly pauses: readonly Pause[];
  readonly gates: readonly OperatorGate[];
}

/** A provider's gate as one process sees it. */
export interface SeenGate {
  readonly processId: string;
  readonly providerKey: string;
  readonly state: string;
  readonly untilMs: number | null;
  readonly why: string | null;
  readonly seenAtMs: number;
}

export interface NotificationStore extends PushTokens, Retention {
  /** Rows and contents of many keys (≤ 500) in one query. @throws Fault STATE_UNAVAILABLE (retriable) */
  load(ids: readonly NotificationId[]): Promise<Loaded>;

  /** Inserts row and content; joins a group commit. `ON CONFLICT DO NOTHING`. Retries outages itself until `close`. */
  insert(insertion: Insertion): Promise<InsertAnswer>;

  /** Commits `change` where `version = expectedVersion`; joins a group commit. Retries outages itself until `close`. */
  write(write: RowWrite): Promise<WriteAnswer>;

  /**
   * The log acknowledged outcome `outcomeSeq`: `published_seq = greatest(…)`, `wake_at` cleared only if final and `outcome_seq`
   * equals it, no version bump. Rides on a later flush within `MARK_DELAY_MS`.
   */
  mark(id: NotificationId, outcomeSeq: number): void;

  /** Resolves when every mark handed over before the call is committed. */
  drainMarks(): Promise<void>;

  /** Rows with `wake_at <= now`, and with `wake_at <= now + aheadMs` those that only rest here (not `wake_in_log`, not claimed, not final),
   * with id > `after`, by id, `FOR UPDATE SKIP LOCKED`, `limit` ≤ 500. */
  overdue(page: { after: NotificationId | null; limit: number; aheadMs: number }): Promise<SweepPage>;

  /** Rows of one channel that one cause holds (a pause is a cause of its own), with id > `after`, by id, `limit` ≤ 500. */
  held(page: {
    channel: Channel;
    hold: Hold;
    after: NotificationId | null;
    limit: number;
  }): Promise<readonly HeldRow[]>;

  /** How many rows are held, by channel and cause. */
  heldCounts(): Promise<readonly { channel: Channel; hold: Hold; count: number }[]>;

  /** A wake-up record now carries this row's wake-up (long waits that were resting here). No version bump; no-op when `wakeSeq` moved on. */
  wakeEnteredLog(rows: readonly { id: NotificationId; wakeSeq: number }[]): Promise<void>;

  /** Runs `pass` while holding the named lock; null when another process holds it. */
  underLock<T>(lock: string, pass: (signal: AbortSignal) => Promise<T>): Promise<T | null>;

  /** The last finished sweep: when it started, by the store's clock. null = never. */
  lastSweepMs(): Promise<number | null>;
  sweepFinished(startedAtMs: number): Promise<void>;

  quarantine(input: QuarantinedInput): Promise<void>;

  /** The lives of a task; null: nobody has had it yet. @throws Fault STATE_UNAVAILABLE (retriable) */
  lifeOf(partition: number): Promise<TaskLife | null>;
  /** Puts `next` in the place of the version before it; version 1 where there is none. False: somebody else wrote. */
  saveLife(partition: number, next: TaskLife): Promise<boolean>;

  /** Remembers that a command met no notification of its tenant: that is its answer, whatever comes later. @throws Fault STATE_UNAVAILABLE */
  refuseCommand(commandId: string, notificationId: NotificationId): Promise<void>;
  wasRefused(commandId: string): Promise<boolean>;

  /** Keeps a webhook that names nothing known for `keepMs`; once, however often it is repeated. @throws Fault STATE_UNAVAILABLE */
  park(webhook: ParkedWebhook, keepMs: number): Promise<void>;

  /** Which notification a message belongs to, if it was written as one of a change's `messages`. */
  notificationOf(message: MessageRef): Promise<NotificationId | null>;

  /** Parked webhooks that name no notification and are about this message, oldest first, `limit` at most. */
  parkedFor(message: MessageRef, limit: number): Promise<readonly ParkedWebhook[]>;

  /** Parked webhooks whose notification is in the table by now, with its id, oldest first, `limit` ≤ 500. */
  joinable(limit: number): Promise<readonly ProviderWebhook[]>;

  unpark(eventIds: readonly string[]): Promise<void>;

  /** Moves webhooks that were kept long enough to the quarantine, `limit` ≤ 500 at a time, and tells their providers. */
  expireParked(limit: number): Promise<readonly { provider: string; count: number }[]>;

  parkedCount(): Promise<number>;

  channels(): Promise<readonly ChannelConfig[]>;
  saveChannel(config: ChannelConfig): Promise<void>;

  /** All that operators set and every process follows, each part by its key. @throws Fault STATE_UNAVAILABLE (retriable) */
  controls(): Promise<Controls>;
  pauses(): Promise<readonly Pause[]>;
  /** Begins a pause; of one that stands, only the reason and who gave it change. */
  savePause(pause: Omit<Pause, 'sinceMs'>): Promise<void>;
  /** False: there was none. */
  endPause(key: PauseKey): Promise<boolean>;
  gates(): Promise<readonly OperatorGate[]>;
  /** The operator's newest word about a provider's gate. `forMs`: closed for so long; null: until it is opened. */
  saveGate(
    gate: Pick<OperatorGate, 'providerKey' | 'state' | 'reason' | 'by'> & { readonly forMs: number | null },
  ): Promise<void>;
  /** How `processId` sees its providers' gates now; forgotten when it is not said again for a minute. */
  sayGates(processId: string, gates: readonly Omit<SeenGate, 'processId' | 'seenAtMs'>[]): Promise<void>;
  /** Those that were said within the last minute, by provider and process. */
  seenGates(): Promise<readonly SeenGate[]>;

  /** The partition count of the input topics as first seen; null: none is stored. */
  storedPartitions(): Promise<number | null>;
  /** Stores `count` when there is none yet and returns what is stored. */
  rememberPartitions(count: number): Promise<number>;

  /** Since when writes are not answered, epoch ms by this process' clock; null while they are. */
  unavailableSinceMs(): number | null;

  /** Ends the flushes in progress, rejects what waits with Fault STATE_CLOSED. */
  close(): Promise<void>;
}

export const MAX_LOAD_KEYS = 500;
export const MARK_DELAY_MS = 1_000;
/** A process says its gates again every few seconds: who was silent for this long is gone. */
export const SEEN_GATE_LIFE_MS = 60_000;
