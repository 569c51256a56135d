// The inbox over the in-memory tables: the same answers as the indexes give.
import { isInInbox } from '../domain/inbox.ts';
import { invariant } from '../runtime/fault.ts';
import {
  type Inbox,
  type InboxCursor,
  type InboxItem,
  type InboxOwner,
  MAX_INBOX_PAGE,
  MAX_UNREAD_COUNT,
} from './inbox.ts';
import { shownOf } from './inbox-item.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function memoryInbox(database: MemoryDatabase): Inbox {
  const itemsOf = ({ tenantId, userId }: InboxOwner): readonly InboxItem[] =>
    [...database.rows.values()]
      .filter(({ row }) => row.inAppUserId === userId && row.tenantId === tenantId && isInInbox(row))
      .map(({ row: { id, channel, version, createdAtMs, notBeforeMs, readAtMs }, content }) => ({
        ...{ id, channel, version, readAtMs },
        arrivedAtMs: Math.max(createdAtMs, notBeforeMs ?? createdAtMs),
        ...shownOf(content?.request ?? null),
      }))
      .sort(newestFirst);
  return {
    page({ owner, after, limit, unreadOnly }) {
      invariant(limit >= 1 && limit <= MAX_INBOX_PAGE, `a page of ${limit} items`);
      const rest = itemsOf(owner).filter(
        (item) => (after === null || newestFirst(after, item) < 0) && !(unreadOnly && item.readAtMs !== null),
      );
      return Promise.resolve(rest.slice(0, limit));
    },
    unread(owner) {
      const count = itemsOf(owner).filter(({ readAtMs }) => readAtMs === null).length;
      return Promise.resolve({ count: Math.min(count, MAX_UNREAD_COUNT), isMore: count > MAX_UNREAD_COUNT });
    },
    close: () => Promise.resolve(),
  };
}

function newestFirst(one: InboxCursor, other: InboxCursor): number {
  if (one.arrivedAtMs !== other.arrivedAtMs) return other.arrivedAtMs - one.arrivedAtMs;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}
