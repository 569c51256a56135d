// A row for tests of what operators see.
import type { Notification } from '../../../src/domain/notification.ts';
import { parseNotificationId } from '../../../src/domain/notification-id.ts';
import { invariant } from '../../../src/runtime/fault.ts';

export const START_MS = 1_800_000_000_000;

export function aRow(change: Partial<Notification> = {}): Notification {
  const id = parseNotificationId('0d4f8c1e-3b7a-4a51-9c55-123456789012');
  invariant(id !== null, 'the id is a uuid');
  return {
    id,
    tenantId: null,
    channel: 'email',
    status: 'Pending',
    final: null,
    cycle: 0,
    attempts: 0,
    claim: null,
    unknown: null,
    hold: null,
    lastError: null,
    providerKey: null,
    providerMessageId: null,
    evidence: [],
    outcome: null,
    outcomeSeq: 0,
    publishedSeq: 0,
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
    requestedAtMs: START_MS,
    version: 1,
    wakeAtMs: START_MS + 30_000,
    wakeSeq: 1,
    wakeInLog: true,
    nextAttemptAtMs: null,
    createdAtMs: START_MS + 5,
    firstAttemptAtMs: null,
    lastAttemptAtMs: null,
    outcomeAtMs: null,
    trail: '',
    ...change,
  };
}
