// One flush: what a writer lane commits in one transaction, and what can come of it.
// A flusher executes it once and says what it knows; deciding what to do next is the lane's business (writer-lane.ts).
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { Insertion, RowWrite } from './store.ts';

export interface Mark {
  readonly id: NotificationId;
  readonly outcomeSeq: number;
}

/** No id twice; each list in id order, so that two flushes lock common rows in the same order. */
export interface Flush {
  readonly inserts: readonly Insertion[];
  readonly writes: readonly RowWrite[];
  readonly marks: readonly Mark[];
}

export type FlushAnswer =
  /** `rows` holds what was inserted or changed; an insert or write without a row there met another row or version. */
  | { readonly kind: 'committed'; readonly rows: ReadonlyMap<NotificationId, Notification> }
  /** Rolled back because of what one of its rows says: trying the same again is useless. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Rolled back through no fault of its rows (deadlock, serialization): the same flush may pass. */
  | { readonly kind: 'conflict'; readonly reason: string }
  /** Nobody knows whether it was committed: the answer never came. */
  | { readonly kind: 'unanswered'; readonly reason: string };

export interface TokenedRow {
  readonly row: Notification;
  /** The token of the row's last write. */
  readonly writeToken: string;
}

/** Reason of a row that Postgres refused, in the quarantine and in its metric. */
export const ROW_REFUSED = 'row-refused';

export interface RefusedRow {
  readonly id: NotificationId;
  readonly reason: string;
  /** The same for every try of one write. */
  readonly origin: string;
  /** What could not be written, as JSON. */
  readonly value: Uint8Array;
}

export interface Flusher {
  /** Never rejects. */
  commit(flush: Flush): Promise<FlushAnswer>;
  /** Reads rows to learn the fate of unanswered writes. @throws Fault STATE_UNAVAILABLE */
  read(ids: readonly NotificationId[]): Promise<ReadonlyMap<NotificationId, TokenedRow>>;
  /** @throws Fault STATE_UNAVAILABLE */
  quarantine(refused: RefusedRow): Promise<void>;
  close(): Promise<void>;
}
