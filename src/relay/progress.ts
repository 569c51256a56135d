// The relay's own bookkeeping as a port: what was taken up, what the log has, what became of it, what the source was told.
import type { NotificationId } from '../domain/notification-id.ts';

export interface Claimed {
  readonly id: string;
  /** When the row was first taken up, epoch ms. */
  readonly seenAtMs: number;
}

/** One of the notifications that a row with several recipients becomes. */
export interface Child {
  readonly id: NotificationId;
  readonly rowId: string;
}

/** What became of one notification, as dispatched.v1 or its row says. */
export interface Outcome {
  readonly id: NotificationId;
  readonly seq: number;
  readonly status: 'Sent' | 'Failed';
  readonly reason: string | null;
  readonly atMs: number;
}

export interface OwedStamp {
  readonly id: string;
  readonly seq: number;
  readonly status: 'Sent' | 'Failed';
  readonly reason: string | null;
  readonly atMs: number;
}

export interface ProgressCounts {
  readonly claimed: number;
  /** The log has them; they are not final yet. */
  readonly waiting: number;
  readonly unstamped: number;
}

export interface CheckedRecords {
  /** Looked for and not found in the state table: free to be relayed again. */
  readonly missing: number;
  /** Final outcomes that the state table has and nobody told us. */
  readonly outcomes: readonly Outcome[];
  readonly looked: number;
}

/** All reject with Fault STATE_UNAVAILABLE (retriable) when Postgres does not answer. */
export interface RelayProgress {
  /** Of `ids` those that nobody has taken up before. Others' claims and finished rows are left out. */
  claim(source: string, ids: readonly string[], leaseMs: number): Promise<readonly Claimed[]>;
  /** Claims that ran out, and records to be relayed again. */
  takeOver(source: string, limit: number, leaseMs: number): Promise<readonly Claimed[]>;
  /** Before their records are sent: which notifications rows with several recipients become. */
  split(source: string, children: readonly Child[]): Promise<void>;
  /** The log has all records of these rows. Each is looked for `checkAfterMs` from now, doubled with every repeat. */
  relayed(source: string, ids: readonly string[], checkAfterMs: number): Promise<void>;
  /** Gives claims back: free `afterMs` from now. */
  release(source: string, ids: readonly string[], afterMs: number): Promise<void>;
  /** Forgets rows that are none of our business any more. */
  forget(source: string, ids: readonly string[]): Promise<void>;
  /** A row whose notifications get another chance: their outcome will be wanted, also when the row was forgotten. */
  remember(source: string, rowId: string, notifications: readonly NotificationId[]): Promise<void>;
  /** Of `ids` those that are known and not merely claimed. */
  known(source: string, ids: readonly string[]): Promise<readonly string[]>;
  /** Higher `seq` wins; the sources whose rows changed. */
  settle(outcomes: readonly Outcome[]): Promise<readonly string[]>;
  owedStamps(source: string, limit: number): Promise<readonly OwedStamp[]>;
  stamped(source: string, stamps: readonly OwedStamp[]): Promise<void>;
  /** Looks for the notifications of records whose time has come. */
  check(source: string, limit: number): Promise<CheckedRecords>;
  /** Deletes rows that ended before `retentionMs`, of these sources; how many. */
  purge(sources: readonly string[], retentionMs: number, limit: number): Promise<number>;
  counts(source: string): Promise<ProgressCounts>;
  close(): Promise<void>;
}
