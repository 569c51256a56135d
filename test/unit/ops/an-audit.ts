// What an audit knows about a notification that went well, for tests of its rules: each names only what it changes.
import type { FinalOutcome, Notification } from '../../../src/domain/notification.ts';
import type {
  AuditScope,
  OutcomeFact,
  OutcomeSaid,
  Remark,
  RowFact,
  Subject,
} from '../../../src/ops/audit-facts.ts';
import { aRow, START_MS } from './a-row.ts';

export const NOW_MS = START_MS + 600_000;

export function aScope(over: Partial<AuditScope> = {}): AuditScope {
  return {
    isQuiescent: false,
    lateAfterMs: 120_000,
    startedAtMs: NOW_MS,
    requestsSinceMs: null,
    outcomesSinceMs: null,
    judgesOutcomes: true,
    replacingProviders: new Set(),
    ...over,
  };
}

export function anOutcome(over: Partial<FinalOutcome> = {}): FinalOutcome {
  return {
    schemaVersion: 1,
    seq: 1,
    supersedes: null,
    status: 'Sent',
    reason: 'accepted',
    providerKey: 'mail',
    cycle: 0,
    attempts: 1,
    maxAttempts: 5,
    providerMessageId: 'm-1',
    error: null,
    evidence: 'accepted',
    ...over,
  };
}

/** Sent with its first attempt, published and acknowledged. */
export function aSentRow(over: Partial<Notification> = {}): Notification {
  return aRow({
    status: 'Sent',
    final: 'accepted',
    attempts: 1,
    wakeAtMs: null,
    providerKey: 'mail',
    providerMessageId: 'm-1',
    evidence: [{ messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'accepted' }],
    outcome: anOutcome(),
    outcomeSeq: 1,
    publishedSeq: 1,
    ...over,
  });
}

export function aSaying(over: Partial<OutcomeSaid> = {}): OutcomeFact {
  const said: OutcomeSaid = {
    seq: 1,
    supersedes: null,
    status: 'Sent',
    reason: 'accepted',
    cycle: 0,
    attempts: 1,
    providerMessageId: 'm-1',
    ...over,
  };
  return { said, digest: 'd', records: 1, differing: 0 };
}

/** As it was read from the table. */
export function aRead(row: Notification, over: Partial<RowFact> = {}): RowFact {
  return { row, hasRequest: true, payloadHash: 'hash', readAtMs: NOW_MS, ...over };
}

/** `row` null: there is none. */
export function aSubject(over: Partial<Subject> & { readonly row?: Notification | null } = {}): Subject {
  const { row = aSentRow(), ...rest } = over;
  return {
    requests: [{ partition: 2, offset: 7, payloadHash: 'hash', isCommitted: true }],
    deadLetters: [],
    isQuarantined: false,
    webhooks: [],
    stored: row === null ? null : aRead(row),
    outcomes: [aSaying()],
    messages: new Map([[0, 1]]),
    ...rest,
  };
}

/** `rule: found` of each violation; `why` of what was not judged. */
export function told(remarks: readonly Remark[]): readonly string[] {
  return remarks.map((remark) =>
    remark.kind === 'violation' ? `${remark.rule}: ${remark.found}` : remark.why,
  );
}
