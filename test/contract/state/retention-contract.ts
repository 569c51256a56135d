// What retention may take, and what it must leave: only what is over and owes nothing shrinks, and a repeat is still known afterwards.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import { tombstoneState } from '../../../src/domain/tombstone.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import type { PurgeBatch, PurgeCursor, PurgedBatch } from '../../../src/state/retention.ts';
import {
  aChange,
  aClaim,
  aFullState,
  anId,
  anInsertion,
  anOutcome,
  aWrite,
  someIds,
} from './state-builders.ts';
import type { StoreWorld } from './store-world.ts';

type Parts = NonNullable<Parameters<typeof anInsertion>[0]>;
type Rest = Parameters<typeof anInsertion>[1];

const OLD_ENOUGH = { keepMs: -60_000, keepUnreadMs: -60_000 };
const YOUNG = { keepMs: 60_000, keepUnreadMs: 60_000 };
const NOTHING_DUE = { wake: { kind: 'none' } } as const;
const OVER: Parts = {
  ...{ status: 'Sent', final: 'accepted', outcome: anOutcome(), outcomeSeq: 1, publishedSeq: 1, attempts: 1 },
};

export function retentionContract(world: StoreWorld): void {
  const over = (parts: Parts = {}, rest: Rest = NOTHING_DUE) =>
    world.inserted(anInsertion({ ...OVER, ...parts }, rest));
  const purge = (batch: Partial<PurgeBatch> = {}) =>
    world.store().purgeFinal({ after: null, limit: 500, ...OLD_ENOUGH, ...batch });
  const walk = async (limit: number) => {
    const batches: number[] = [];
    let after: PurgeCursor | null = null;
    do {
      const batch: PurgedBatch = await purge({ after, limit });
      batches.push(batch.purged);
      after = batch.next;
    } while (after !== null);
    return batches;
  };
  const stored = async (id: NotificationId) => {
    const one = (await world.store().load([id])).found.get(id);
    invariant(one !== undefined, `${id} is there`);
    return one;
  };

  describe('a purge', () => {
    test('shrinks a final row to what tells a repeat from a new request, and raises its version', async () => {
      const full = aFullState({ ...OVER, claim: null, unknown: null, hold: null });
      const insertion = anInsertion(full, NOTHING_DUE);
      const row = await world.inserted(insertion);
      expect(await purge()).toEqual({ purged: 1, next: null });
      const { row: left, content, payloadHash } = await stored(row.id);
      expect(content).toBeNull();
      expect(payloadHash).toBe(insertion.content.payloadHash);
      expect(left).toMatchObject(tombstoneState(full));
      expect(left).toMatchObject({
        ...{ version: 2, wakeAtMs: null, wakeSeq: row.wakeSeq, createdAtMs: row.createdAtMs },
        ...{
          firstAttemptAtMs: null,
          lastAttemptAtMs: null,
          nextAttemptAtMs: null,
          outcomeAtMs: row.outcomeAtMs,
        },
      });
      expect(left.trail).toMatch(/^\d+ purged\n$/);
    });

    test('takes each row once', async () => {
      await over();
      expect(await purge()).toMatchObject({ purged: 1 });
      expect(await purge()).toEqual({ purged: 0, next: null });
    });

    test.each<[string, Parts, Rest]>([
      ['that is not final', { final: null, outcome: null, outcomeSeq: 0, publishedSeq: 0 }, {}],
      [
        'that is held',
        { ...{ final: null, hold: 'channel-disabled', outcomeSeq: 0, publishedSeq: 0 } },
        NOTHING_DUE,
      ],
      ['with a call in flight', { final: null, claim: aClaim(), outcomeSeq: 0, publishedSeq: 0 }, {}],
      ['that owes an outcome', { publishedSeq: 0 }, {}],
      ['that has something due', {}, {}],
    ])('leaves a row %s', async (_what, parts, rest) => {
      const row = await over(parts, rest);
      expect(await purge()).toEqual({ purged: 0, next: null });
      expect((await stored(row.id)).row).toEqual(row);
    });

    test('leaves what is younger than its time', async () => {
      const row = await over();
      expect(await purge(YOUNG)).toEqual({ purged: 0, next: null });
      expect((await stored(row.id)).content).not.toBeNull();
    });

    test('leaves a copy that nobody read until its own time is over; one that was read is only a row', async () => {
      const shown = { inAppUserId: 'ada', inAppStatus: 'arrived' } as const;
      const unread = await over(shown);
      const read = await over({ ...shown, readAtMs: 1_790_000_000_000 });
      const inApp = await over({ inAppUserId: 'ada', channel: 'in-app' });
      const later = await over({ ...shown, notBeforeMs: Date.UTC(2090, 0, 1) });
      expect(await purge({ keepUnreadMs: 60_000 })).toMatchObject({ purged: 1 });
      expect((await stored(read.id)).content).toBeNull();
      expect((await stored(unread.id)).content).not.toBeNull();
      expect(await purge()).toMatchObject({ purged: 2 });
      expect((await stored(inApp.id)).content).toBeNull();
      expect((await stored(later.id)).row).toEqual(later);
      const owner = { tenantId: 'tenant-1', userId: 'ada' };
      expect(await world.inbox().unread(owner)).toEqual({ count: 1, isMore: false });
      const items = await world.inbox().page({ owner, after: null, limit: 10, unreadOnly: false });
      expect(items.map(({ id }) => id)).toEqual([later.id]);
    });

    test('walks on from where it was, past what must stay', async () => {
      for (const id of someIds(3)) await over({ id });
      for (const id of someIds(2)) await over({ id }, {});
      const batches = await walk(2);
      expect(batches).toHaveLength(3);
      expect(batches.reduce((sum, purged) => sum + purged)).toBe(3);
      expect(await walk(2)).toEqual([0, 0]);
    });

    test('makes a write that had not seen it stale, and the id stays taken', async () => {
      const row = await over();
      await purge();
      const late = await world.store().write(aWrite(row.version, aChange({ ...row, attempts: 2 })));
      expect(late).toEqual({ kind: 'stale' });
      expect(await world.store().insert(anInsertion({ id: row.id }))).toEqual({ kind: 'exists' });
      world.store().mark(row.id, 1);
      await world.store().drainMarks();
      expect((await stored(row.id)).row).toMatchObject({ version: 2, wakeAtMs: null });
    });
  });

  describe('what is deleted in the end', () => {
    const expire = (what: Parameters<ReturnType<typeof world.store>['expire']>[0], keepMs = -60_000) =>
      world.store().expire(what, keepMs, 500);

    test('is a tombstone, with its hash; never a row that still has its request', async () => {
      const [dead, alive] = [await over(), await world.inserted(anInsertion())];
      await purge();
      const whole = await over();
      expect(await expire('tombstones', 60_000)).toBe(0);
      expect(await expire('tombstones')).toBe(1);
      expect(await expire('tombstones')).toBe(0);
      expect(await world.loaded(dead.id)).toBeNull();
      expect([await world.loaded(alive.id), await world.loaded(whole.id)]).toEqual([alive, whole]);
      await world.inserted(anInsertion({ id: dead.id }));
      expect((await stored(dead.id)).content).not.toBeNull();
    });

    test('is the place of a request that was cancelled and never came', async () => {
      const keeper = anInsertion(
        { channel: 'none' as never, status: 'Failed', final: 'cancelled' },
        NOTHING_DUE,
      );
      const row = await world.inserted({ ...keeper, content: null });
      expect(await purge()).toEqual({ purged: 0, next: null });
      expect(await expire('tombstones', 60_000)).toBe(0);
      expect(await expire('tombstones')).toBe(1);
      expect(await world.loaded(row.id)).toBeNull();
    });

    test('is a refused command, which can be obeyed afterwards', async () => {
      const commandId = randomUUID();
      await world.store().refuseCommand(commandId, anId());
      expect(await expire('refused-commands', 60_000)).toBe(0);
      expect(await world.store().wasRefused(commandId)).toBe(true);
      expect(await expire('refused-commands')).toBe(1);
      expect(await world.store().wasRefused(commandId)).toBe(false);
    });

    test('is the name of a message', async () => {
      const message = { provider: 'sms-a', messageId: 'm-1' };
      const row = await world.inserted(anInsertion());
      await world.store().write({ ...aWrite(row.version, aChange({ ...row })), messages: [message] });
      expect(await expire('message-refs', 60_000)).toBe(0);
      expect(await expire('message-refs')).toBe(1);
      expect(await world.store().notificationOf(message)).toBeNull();
    });

    test('is a quarantined input', async () => {
      const input = { reason: 'test', detail: '', topic: 't', partition: 0, key: null, value: null };
      for (const offset of ['1', '2', '3']) await world.store().quarantine({ ...input, offset });
      expect(await expire('quarantine', 60_000)).toBe(0);
      expect(await world.store().expire('quarantine', -60_000, 2)).toBe(2);
      expect(await expire('quarantine')).toBe(1);
      expect(await world.quarantined()).toEqual([]);
    });
  });
}
