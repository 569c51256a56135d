// Another service's outbox table as a port: only rows of type NotificationRequested, read without locks, and told the truth in the three
// columns that are for it. It never touches a row of another type and never writes another column (but `version`, where it may).
import type { OutboxRow } from './outbox-row.ts';
import type { RelaySource } from './source.ts';

/** A place in the order (occurred at, id). `at` is the database's own text; null where rows have no time. */
export interface Place {
  readonly at: string | null;
  readonly id: string;
}

export interface Page {
  /** In order, each with when it was written where that is said. Fewer than were asked for: the end. */
  readonly rows: readonly { readonly id: string; readonly atMs: number | null }[];
  /** The last of them; null when there is none. */
  readonly last: Place | null;
}

export interface Stamp {
  readonly id: string;
  readonly status: 'Sent' | 'Failed';
  /** Of a failure. */
  readonly reason: string | null;
  /** When it ended. */
  readonly atMs: number;
}

export interface DeadRow {
  readonly id: string;
  readonly reason: string;
}

export interface FailedRow extends DeadRow {
  /** The database's own text: exact. */
  readonly failedAt: string;
}

export interface FailedFilter {
  /** Empty: all. */
  readonly ids: readonly string[];
  /** Part of the reason; null: whatever it is. */
  readonly reason: string | null;
  readonly sinceMs: number | null;
  readonly limit: number;
}

export interface OutboxCounts {
  /** Neither published nor failed. */
  readonly open: number;
  readonly failed: number;
}

/** All reject with Fault STATE_UNAVAILABLE (retriable) when the source's database does not answer. */
export interface Outbox {
  readonly source: RelaySource;
  /** Rows have a time, and so an order in which most of them come. */
  readonly isOrdered: boolean;
  /** Outcomes can be written: else a row stays open for ever. */
  readonly tellsOutcomes: boolean;
  /** Inserts are announced. */
  readonly isAnnounced: boolean;
  /** Open rows after the place; null begins. */
  page(after: Place | null, limit: number): Promise<Page>;
  /** As `page`, of the newest rows: from `overlapMs` before the place, or before now, whichever is earlier. */
  newest(place: Place, overlapMs: number, limit: number): Promise<Page>;
  /** Open rows without a time, which the order does not reach; null begins. */
  timeless(after: Place | null, limit: number): Promise<Page>;
  /** The rows of these ids that are open. */
  rows(ids: readonly string[]): Promise<readonly OutboxRow[]>;
  /** The rows of these ids in whatever state. */
  anyRows(ids: readonly string[]): Promise<readonly OutboxRow[]>;
  /** Writes outcomes; one that is older than what a row says is left out. */
  stamp(stamps: readonly Stamp[]): Promise<void>;
  /** Fails open rows now. */
  condemn(rows: readonly DeadRow[]): Promise<void>;
  /** Newest failure first. */
  failed(filter: FailedFilter): Promise<readonly FailedRow[]>;
  /** Opens failed rows again, as far as their failure is still the one given. */
  reopen(rows: readonly FailedRow[]): Promise<readonly string[]>;
  counts(): Promise<OutboxCounts>;
  close(): Promise<void>;
}
