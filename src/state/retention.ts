// Retention as a part of the store's port: what is old is shrunk in place or deleted, a bounded batch at a time. It promises: a row that is
// not final, owes an outcome or has anything due is never touched, and a batch never waits for a row that somebody is writing.
import type { NotificationId } from '../domain/notification-id.ts';

/** Where a walk through the oldest contents has come to. */
export interface PurgeCursor {
  readonly storedAtMs: number;
  readonly id: NotificationId;
}

export interface PurgeBatch {
  /** null begins with the oldest. */
  readonly after: PurgeCursor | null;
  /** Rows that are looked at, ≤ MAX_PURGE_ROWS. */
  readonly limit: number;
  /** Final rows to which nothing happened for so long are shrunk to tombstones. */
  readonly keepMs: number;
  /** Unless a copy in an inbox is unread and arrived within this time. */
  readonly keepUnreadMs: number;
}

export interface PurgedBatch {
  readonly purged: number;
  /** null: nothing older is left to look at. */
  readonly next: PurgeCursor | null;
}

export const EXPIRING = ['tombstones', 'message-refs', 'refused-commands', 'quarantine'] as const;
/** What is deleted when it is old enough. */
export type Expiring = (typeof EXPIRING)[number];

/** All reject with Fault STATE_UNAVAILABLE (retriable). */
export interface Retention {
  /**
   * Shrinks rows to tombstones: id, tenant, channel, status, why it was final, its counters and the hash of its payload stay; request,
   * recipient, evidence, outcome and history go. The version rises.
   */
  purgeFinal(batch: PurgeBatch): Promise<PurgedBatch>;
  /** Deletes at most `limit` (≤ MAX_PURGE_ROWS) of those that are older than `keepMs`, and says how many. */
  expire(what: Expiring, keepMs: number, limit: number): Promise<number>;
}

export const MAX_PURGE_ROWS = 500;
