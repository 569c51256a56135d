// The audit's memory: what the sources said, by notification, and the judgement over all of it. It is bounded: beyond MAX_AUDITED ids it
// refuses and says how to audit in parts. It reads nothing itself.
import { Fault } from '../runtime/fault.ts';
import { auditConservation } from './audit-conservation.ts';
import { auditDeadLetters } from './audit-dead-letters.ts';
import type {
  AuditScope,
  DeadLetterFact,
  OutcomeFact,
  OutcomeSaid,
  Remark,
  RequestFact,
  RowFact,
  Subject,
  WebhookFact,
} from './audit-facts.ts';
import { auditMessages } from './audit-messages.ts';
import { auditOffsets, type UnfinishedRequest } from './audit-offsets.ts';
import { auditOutcomes } from './audit-outcomes.ts';
import { auditWaits } from './audit-waits.ts';
import { auditWebhooks } from './audit-webhooks.ts';

/** About half a kilobyte each, with the row about two. */
export const MAX_AUDITED = 250_000;

interface Page {
  requests: RequestFact[];
  deadLetters: DeadLetterFact[];
  webhooks: WebhookFact[];
  isQuarantined: boolean;
  stored: RowFact | null;
  outcomes: OutcomeFact[];
  messages: Map<number, number>;
}

export interface AuditBook {
  request(id: string, fact: RequestFact): void;
  deadLetter(id: string, fact: DeadLetterFact): void;
  webhook(id: string, fact: WebhookFact): void;
  quarantined(id: string): void;
  /** The newest reading counts. */
  row(fact: RowFact): void;
  /** The row is not there, after all. */
  noRow(id: string): void;
  outcome(id: string, said: OutcomeSaid, digest: string): void;
  message(id: string, cycle: number): void;
  judge(scope: AuditScope, of?: Iterable<string>): readonly Remark[];
  offsets(committed: ReadonlyMap<number, number>): readonly Remark[];
  counts(): BookCounts;
}

export interface BookCounts {
  readonly ids: number;
  readonly requests: number;
  readonly rows: number;
  readonly outcomes: number;
  readonly outcomeRecords: number;
  readonly deadLetters: number;
  readonly webhooks: number;
  readonly messages: number;
  /** Requests without any trace. */
  readonly unfinished: number;
}

/** `hasLedger`: whether messages will be told. @throws Fault AUDIT_TOO_LARGE from any of its methods */
export function auditBook(hasLedger: boolean, limit = MAX_AUDITED): AuditBook {
  const pages = new Map<string, Page>();
  const open = (id: string): Page => {
    const known = pages.get(id);
    if (known !== undefined) return known;
    if (pages.size >= limit) throw tooLarge(limit);
    const page: Page = {
      ...{ requests: [], deadLetters: [], webhooks: [], isQuarantined: false, stored: null, outcomes: [] },
      messages: new Map<number, number>(),
    };
    pages.set(id, page);
    return page;
  };
  const seen = (page: Page): Subject => (hasLedger ? page : { ...page, messages: null });
  return {
    request: (id, fact) => void open(id).requests.push(fact),
    deadLetter: (id, fact) => void open(id).deadLetters.push(fact),
    webhook: (id, fact) => void open(id).webhooks.push(fact),
    quarantined(id) {
      open(id).isQuarantined = true;
    },
    row(fact) {
      open(fact.row.id).stored = fact;
    },
    noRow(id) {
      open(id).stored = null;
    },
    outcome(id, said, digest) {
      const { outcomes } = open(id);
      const at = outcomes.findIndex((one) => one.said.seq === said.seq);
      const known = outcomes[at];
      if (known === undefined) outcomes.push({ said, digest, records: 1, differing: 0 });
      else outcomes[at] = repeated(known, digest);
    },
    message(id, cycle) {
      const { messages } = open(id);
      messages.set(cycle, (messages.get(cycle) ?? 0) + 1);
    },
    judge(scope, of = pages.keys()) {
      const remarks: Remark[] = [];
      for (const id of of) {
        const page = pages.get(id);
        if (page !== undefined) remarks.push(...remarksOn(id, seen(page), scope));
      }
      return remarks;
    },
    offsets: (committed) => auditOffsets(committed, unfinishedIn(pages)),
    counts: () => countsOf(pages),
  };
}

function repeated(known: OutcomeFact, digest: string): OutcomeFact {
  const differing = known.differing + (known.digest === digest ? 0 : 1);
  return { ...known, records: known.records + 1, differing };
}

function remarksOn(id: string, subject: Subject, scope: AuditScope): readonly Remark[] {
  return [
    ...auditConservation(id, subject, scope),
    ...auditMessages(id, subject, scope),
    ...auditWaits(id, subject, scope),
    ...auditOutcomes(id, subject, scope),
    ...auditDeadLetters(id, subject),
    ...auditWebhooks(id, subject, scope),
  ];
}

function unfinishedIn(pages: ReadonlyMap<string, Page>): readonly UnfinishedRequest[] {
  const found: UnfinishedRequest[] = [];
  for (const [id, { requests, stored, isQuarantined }] of pages) {
    if (isQuarantined) continue;
    for (const { partition, offset, payloadHash } of requests)
      if (stored === null || payloadHash === null) found.push({ id, partition, offset });
  }
  return found;
}

function countsOf(pages: ReadonlyMap<string, Page>): BookCounts {
  const counts = {
    ids: pages.size,
    requests: 0,
    rows: 0,
    outcomes: 0,
    outcomeRecords: 0,
    deadLetters: 0,
    webhooks: 0,
    messages: 0,
  };
  for (const page of pages.values()) {
    counts.requests += page.requests.length;
    counts.rows += page.stored === null ? 0 : 1;
    counts.outcomes += page.outcomes.length;
    for (const { records } of page.outcomes) counts.outcomeRecords += records;
    counts.deadLetters += page.deadLetters.length;
    counts.webhooks += page.webhooks.length;
    for (const count of page.messages.values()) counts.messages += count;
  }
  return { ...counts, unfinished: unfinishedIn(pages).length };
}

function tooLarge(limit: number): Fault {
  const sentence = `more than ${limit} notifications at once: audit them in parts, such as --part 1/8, then 2/8, …`;
  return new Fault('AUDIT_TOO_LARGE', sentence, { retriable: false });
}
