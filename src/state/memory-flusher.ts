// Commits a flush to the in-memory database: all of it or nothing, in one step that no other store can interleave with.
// It never tries twice.

import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { type Flush, type FlushAnswer, type Flusher, ROW_REFUSED } from './flush.ts';
import {
  insertedRowIn,
  type MemoryDatabase,
  type MemoryRow,
  markedRowIn,
  messageKey,
  type RowAnswer,
  updatedRowIn,
} from './memory-database.ts';
import { type MemoryFaults, type MemoryStep, stepped } from './memory-faults.ts';

export function memoryFlusher(deps: {
  readonly database: MemoryDatabase;
  readonly faults: MemoryFaults;
}): Flusher {
  const { database, faults } = deps;
  return {
    async commit(flush) {
      const step: MemoryStep = { kind: 'flush', ids: idsOf(flush) };
      const fate = await faults.before(step);
      if (fate === 'fail') return { kind: 'unanswered', reason: 'the connection was lost before the flush' };
      if (fate === 'conflict') return { kind: 'conflict', reason: 'deadlock detected' };
      const answer = applyFlush(database, flush);
      await faults.after(step);
      return fate === 'lose-answer' ? { kind: 'unanswered', reason: 'the answer was lost' } : answer;
    },
    read: (ids) =>
      stepped(faults, { kind: 'resolve', ids }, () => {
        const found = ids.flatMap((id) => {
          const row = database.rows.get(id);
          return row === undefined ? [] : [[id, row] as const];
        });
        return new Map(found);
      }),
    quarantine: ({ id, reason, origin, value }) =>
      stepped(faults, { kind: 'other', ids: [id] }, () => {
        if (database.quarantine.has(origin)) return;
        database.quarantine.set(origin, {
          reason: ROW_REFUSED,
          detail: reason,
          notificationId: id,
          topic: null,
          partition: null,
          offset: null,
          key: null,
          value,
          atMs: database.clock.nowMs(),
        });
      }),
    close: () => Promise.resolve(),
  };
}

function applyFlush(database: MemoryDatabase, flush: Flush): FlushAnswer {
  const staged = new Map<NotificationId, MemoryRow>();
  const rows = new Map<NotificationId, Notification>();
  const answers: readonly RowAnswer[] = [
    ...flush.inserts.map((insertion) => insertedRowIn(database, insertion)),
    ...flush.writes.map((write) => updatedRowIn(database, write)),
    ...flush.marks.map(({ id, outcomeSeq }) => markedRowIn(database, id, outcomeSeq)),
  ];
  for (const answer of answers) {
    if (answer.kind === 'refused') return answer;
    if (answer.kind === 'missed') continue;
    staged.set(answer.next.row.id, answer.next);
    rows.set(answer.next.row.id, answer.next.row);
  }
  for (const [id, next] of staged) database.rows.set(id, next);
  for (const { change, writeToken, messages = [] } of flush.writes) {
    if (staged.get(change.next.id)?.writeToken !== writeToken) continue;
    const named = { id: change.next.id, namedAtMs: Math.floor(database.clock.nowMs()) };
    for (const message of messages) database.messages.set(messageKey(message), named);
  }
  return { kind: 'committed', rows };
}

function idsOf(flush: Flush): readonly NotificationId[] {
  return [
    ...flush.inserts.map(({ change }) => change.next.id),
    ...flush.writes.map(({ change }) => change.next.id),
    ...flush.marks.map(({ id }) => id),
  ];
}
