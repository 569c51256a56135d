// The inbox of one user, derived from the notifications: newest first, in pages, and nobody else's.
import { describe, expect, test } from 'vitest';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import type { InboxCursor, InboxOwner } from '../../../src/state/inbox.ts';
import { anInsertion, someIds } from './state-builders.ts';
import type { StoreWorld } from './store-world.ts';

type Parts = NonNullable<Parameters<typeof anInsertion>[0]>;

const ADA: InboxOwner = { tenantId: 'tenant-1', userId: 'ada' };
const PLATFORM_ADA: InboxOwner = { tenantId: null, userId: 'ada' };

export function inboxContract(world: StoreWorld): void {
  /** A row with a copy that arrived, unless its parts say otherwise. */
  const arrived = (parts: Parts = {}) => {
    const insertion = anInsertion({ inAppUserId: 'ada', inAppStatus: 'arrived', ...parts });
    const { request } = insertion.content;
    const inApp = { userId: 'ada', title: 'Hello', body: 'Hello, "Ada" 🚀' };
    return world.inserted({
      ...insertion,
      content: { ...insertion.content, request: { ...request, inApp } },
    });
  };
  const page = async (owner = ADA, limit = 10, unreadOnly = false, after: InboxCursor | null = null) =>
    world.inbox().page({ owner, after, limit, unreadOnly });
  const idsOf = (items: readonly { id: NotificationId }[]) => items.map(({ id }) => id);

  describe('an inbox', () => {
    test('shows a copy that arrived as its request said it', async () => {
      const row = await arrived({ readAtMs: 1_790_000_000_777 });
      expect(await page()).toEqual([
        {
          ...{ id: row.id, channel: 'email', title: 'Hello', body: 'Hello, "Ada" 🚀', version: 1 },
          ...{ arrivedAtMs: row.createdAtMs, readAtMs: 1_790_000_000_777 },
          ...{ aggregateType: null, aggregateId: null },
        },
      ]);
    });

    test('does not show what has not arrived, or is nobody’s', async () => {
      await arrived({ inAppStatus: 'waiting' });
      await arrived({ inAppStatus: 'none' });
      await arrived({ inAppUserId: null });
      expect(await page()).toEqual([]);
      expect(await world.inbox().unread(ADA)).toEqual({ count: 0, isMore: false });
    });

    test('never shows another user’s or another tenant’s, and null is a tenant of its own', async () => {
      const [own, platform] = [await arrived(), await arrived({ tenantId: null })];
      await arrived({ tenantId: 'tenant-2' });
      await arrived({ inAppUserId: 'ada2' });
      expect(idsOf(await page())).toEqual([own.id]);
      expect(idsOf(await page(PLATFORM_ADA))).toEqual([platform.id]);
      expect(await world.inbox().unread(ADA)).toEqual({ count: 1, isMore: false });
      expect(await world.inbox().unread(PLATFORM_ADA)).toEqual({ count: 1, isMore: false });
      expect(await page({ tenantId: '', userId: 'ada' })).toEqual([]);
    });

    test('is paged newest first, each item once, whatever comes in between', async () => {
      const notBefores = [5, 1, 3, 3, 3].map((days) => Date.UTC(2090, 0, days));
      const ids = someIds(notBefores.length);
      for (const [n, id] of ids.entries()) await arrived({ id, notBeforeMs: notBefores[n] ?? null });
      const [a, b, c, d, e] = ids as [NotificationId, ...NotificationId[]];
      const wanted = [a, e, d, c, b];
      expect(idsOf(await page())).toEqual(wanted);
      const seen: (NotificationId | undefined)[] = [];
      let after: InboxCursor | null = null;
      for (let pages = 0; pages < 9; pages += 1) {
        const [item] = await page(ADA, 1, false, after);
        if (item === undefined) break;
        seen.push(item.id);
        after = item;
        await arrived({ notBeforeMs: Date.UTC(2091, 0, 1) });
      }
      expect(seen).toEqual(wanted);
    });

    test('shows and counts what is unread apart, and reading takes it out', async () => {
      const [first, second] = [await arrived(), await arrived()];
      await world.written(first, { readAtMs: 1_790_000_001_000 });
      expect(idsOf(await page(ADA, 10, true))).toEqual([second.id]);
      expect(await page()).toHaveLength(2);
      expect(await world.inbox().unread(ADA)).toEqual({ count: 1, isMore: false });
    });

    test('shows a notification whose channel is in-app once it is Sent', async () => {
      const row = await arrived({ channel: 'in-app', inAppStatus: 'none' });
      expect(await page()).toEqual([]);
      const sent = await world.written(row, { status: 'Sent' });
      expect(await page()).toMatchObject([{ id: row.id, channel: 'in-app', version: sent.version }]);
      expect(await world.inbox().unread(ADA)).toEqual({ count: 1, isMore: false });
    });
  });
}
