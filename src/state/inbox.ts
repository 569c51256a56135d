// The inbox of one user as a port: what is in it, newest first, and how much of it is unread. It is derived from the notifications; there
// is no second truth. It promises: whoever asks names one tenant and one user, and nothing of anybody else is ever in the answer.
import type { Channel } from '../domain/channel.ts';
import type { NotificationId } from '../domain/notification-id.ts';

/** Tenant null is the platform's own, never "all". */
export interface InboxOwner {
  readonly tenantId: string | null;
  readonly userId: string;
}

export interface InboxItem {
  readonly id: NotificationId;
  /** Where it was also sent; `in-app` when it is only here. */
  readonly channel: Channel;
  /** null: the notification had none. */
  readonly title: string | null;
  readonly body: string | null;
  /** When it was asked for, or its notBefore; epoch ms. */
  readonly arrivedAtMs: number;
  readonly readAtMs: number | null;
  /** What it is about, as its service named it. */
  readonly aggregateType: string | null;
  readonly aggregateId: string | null;
  readonly version: number;
}

/** The last item of a page; the next page begins after it, whatever came in between. */
export type InboxCursor = Pick<InboxItem, 'arrivedAtMs' | 'id'>;

export interface InboxPageQuery {
  readonly owner: InboxOwner;
  /** null begins with the newest. */
  readonly after: InboxCursor | null;
  /** 1 to MAX_INBOX_PAGE. */
  readonly limit: number;
  readonly unreadOnly: boolean;
}

export interface UnreadCount {
  /** At most MAX_UNREAD_COUNT. */
  readonly count: number;
  readonly isMore: boolean;
}

/** Both reject with Fault STATE_UNAVAILABLE (retriable) when the tables do not answer. */
export interface Inbox {
  /** Newest first; the last page has fewer than `limit`. */
  page(query: InboxPageQuery): Promise<readonly InboxItem[]>;
  unread(owner: InboxOwner): Promise<UnreadCount>;
  close(): Promise<void>;
}

export const MAX_INBOX_PAGE = 200;
export const MAX_UNREAD_COUNT = 1_000;
