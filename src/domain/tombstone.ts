// What stays of a notification when its retention is over: enough to know a repeat of its request, a late answer and a late report when they
// come, and nothing about a person.
import { changed } from './committed-row.ts';
import type { Notification, NotificationState } from './notification.ts';

/** The last line of the trail, and the only one of a tombstone. */
export const PURGED = 'purged';

/** Every column that a tombstone loses. The SQL statement of the store says the same. */
export function tombstoneState(row: NotificationState): NotificationState {
  return changed(row, {
    claim: null,
    unknown: null,
    hold: null,
    lastError: null,
    providerKey: null,
    providerMessageId: null,
    evidence: [],
    outcome: null,
    inAppUserId: null,
    inAppStatus: 'none',
    readAtMs: null,
    deliveredAtMs: null,
    seenAtMs: null,
    complainedAtMs: null,
    unsubscribedAtMs: null,
    closedAtMs: null,
    cancelBy: null,
    commandIds: [],
    notBeforeMs: null,
    notAfterMs: null,
  });
}

/** Whether the row was shrunk: its history says nothing else. */
export function isTombstone({ trail }: Pick<Notification, 'trail'>): boolean {
  return trail.endsWith(` ${PURGED}\n`);
}
