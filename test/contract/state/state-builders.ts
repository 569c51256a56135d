// Rows, changes and contents for tests of the store: whole and valid, with only what a test cares about spelled out.
import { randomUUID } from 'node:crypto';
import type { Change, Wake } from '../../../src/domain/change.ts';
import type { FinalOutcome, NotificationState } from '../../../src/domain/notification.ts';
import { type NotificationId, parseNotificationId } from '../../../src/domain/notification-id.ts';
import type { Content, NotificationRequest } from '../../../src/domain/request.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import type { Insertion, RowWrite } from '../../../src/state/store.ts';

export function anId(text: string = randomUUID()): NotificationId {
  const id = parseNotificationId(text);
  invariant(id !== null, `${text} is no uuid`);
  return id;
}

/** `count` ids in ascending order. */
export function someIds(count: number): readonly NotificationId[] {
  return Array.from({ length: count }, () => anId()).sort();
}

const REQUESTED_AT_MS = 1_790_000_000_123;

export function aState(parts: Partial<NotificationState> = {}): NotificationState {
  return {
    id: anId(),
    tenantId: 'tenant-1',
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
    requestedAtMs: REQUESTED_AT_MS,
    ...parts,
  };
}

/** A state in which every field that may be null is not. */
export function aFullState(parts: Partial<NotificationState> = {}): NotificationState {
  return aState({
    status: 'Failed',
    cycle: 2,
    attempts: 3,
    claim: aClaim({ attempt: 3, takeovers: 1 }),
    unknown: {
      attempt: 2,
      providerKey: 'mail-b',
      sinceMs: REQUESTED_AT_MS + 5,
      resolution: 'look-up',
      isResent: true,
    },
    lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: 'E.503' },
    providerKey: 'mail-a',
    providerMessageId: 'message-"1"\\ ünïcode 🚀',
    evidence: [{ messageId: 'message-0', cycle: 1, attempt: 1, verdict: 'failed-transient' }],
    outcome: anOutcome(),
    outcomeSeq: 1,
    publishedSeq: 1,
    inAppUserId: 'ada "1"',
    inAppStatus: 'arrived',
    readAtMs: REQUESTED_AT_MS + 7,
    deliveredAtMs: REQUESTED_AT_MS + 8,
    seenAtMs: REQUESTED_AT_MS + 10,
    complainedAtMs: REQUESTED_AT_MS + 11,
    unsubscribedAtMs: REQUESTED_AT_MS + 12,
    closedAtMs: REQUESTED_AT_MS + 13,
    cancelBy: 'ops:"ada"',
    commandIds: [randomUUID(), randomUUID()],
    notBeforeMs: REQUESTED_AT_MS + 9,
    notAfterMs: Date.UTC(9999, 0, 1),
    ...parts,
  });
}

export function aClaim(parts: Partial<NonNullable<NotificationState['claim']>> = {}) {
  return { token: randomUUID(), attempt: 1, providerKey: 'mail-a', takeovers: 0, ...parts };
}

export function anOutcome(parts: Partial<FinalOutcome> = {}): FinalOutcome {
  return {
    schemaVersion: 1,
    seq: 1,
    supersedes: null,
    status: 'Sent',
    reason: 'accepted',
    providerKey: 'mail-a',
    cycle: 0,
    attempts: 1,
    maxAttempts: 5,
    providerMessageId: 'message-1',
    error: null,
    evidence: 'accepted',
    ...parts,
  };
}

const IN_A_MINUTE: Wake = { kind: 'after', waitMs: 60_000, inLog: true };

export function aChange(parts: Partial<NotificationState> = {}, rest: Partial<Change> = {}): Change {
  return { next: aState(parts), wake: IN_A_MINUTE, isNextAttempt: false, trail: 'test', ...rest };
}

function aContent(id: NotificationId, parts: Partial<NotificationRequest> = {}): Content {
  return {
    request: {
      notificationId: id,
      tenantId: 'tenant-1',
      channel: 'email',
      recipient: 'someone@example.org',
      template: { key: 'welcome', version: null, locale: 'de' },
      body: null,
      data: { name: 'Zoë', quote: '"\\' },
      inApp: null,
      notBeforeMs: null,
      notAfterMs: null,
      priority: null,
      parentId: null,
      aggregateType: null,
      aggregateId: null,
      orgUnitId: null,
      trigger: null,
      correlationId: 'correlation-1',
      causationId: null,
      requestedAtMs: REQUESTED_AT_MS,
      attributes: {},
      ...parts,
    },
    payloadHash: 'a'.repeat(64),
    recipientHash: 'b'.repeat(64),
    traceparent: null,
  };
}

export function anInsertion(
  parts: Partial<NotificationState> = {},
  rest: Partial<Change> = {},
): Insertion & { readonly content: Content } {
  const change = aChange(parts, rest);
  return { change, content: aContent(change.next.id), writeToken: randomUUID() };
}

export function aWrite(expectedVersion: number, change: Change): RowWrite {
  return { expectedVersion, change, writeToken: randomUUID() };
}
