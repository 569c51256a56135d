// Reads the sources in the order in which a running system cannot deceive it: committed offsets before the requests below them, dead
// letters and quarantine before requests, rows before what they have published, the ledger last. What still looks wrong is looked at once
// more, because rows move on while topics are read. It writes nothing and joins no group.
import { parseNotificationId } from '../../domain/notification-id.ts';
import { auditBook, type BookCounts } from '../../ops/audit-book.ts';
import type { AuditScope, Remark, Violation } from '../../ops/audit-facts.ts';
import { PAGE_ROWS } from '../../state/row-pages.ts';
import {
  type Audit,
  type AuditDeps,
  type AuditOrder,
  readLedger,
  readOutcomes,
  readRequests,
  readRows,
} from './read-sources.ts';
import { readWebhooks } from './read-webhooks.ts';

export interface AuditReport {
  readonly violations: readonly Violation[];
  /** How many things could not be judged, by the reason. */
  readonly unjudged: Readonly<Record<string, number>>;
  readonly counts: BookCounts;
}

/** @throws Fault LOG_UNAVAILABLE, STATE_UNAVAILABLE, REGISTRY_UNAVAILABLE (retriable), AUDIT_TOO_LARGE */
export async function runAudit(deps: AuditDeps, order: AuditOrder): Promise<AuditReport> {
  const audit: Audit = { ...deps, order, book: auditBook(order.ledgerFile !== null), remarks: [] };
  const startedAtMs = deps.environment.clock.nowMs();
  const { committed, requestsSinceMs } = await readRequests(audit);
  await readWebhooks(audit);
  await readRows(audit);
  const outcomesSinceMs = deps.topics.writesDispatched ? await readOutcomes(audit) : null;
  await readLedger(audit);
  const scope: AuditScope = {
    isQuiescent: order.isQuiescent,
    lateAfterMs: order.lateAfterMs,
    startedAtMs,
    requestsSinceMs,
    outcomesSinceMs,
    judgesOutcomes: deps.topics.writesDispatched,
    replacingProviders: order.replacingProviders,
  };
  const remarks = [...audit.remarks, ...(await judged(audit, scope)), ...audit.book.offsets(committed)];
  return {
    violations: remarks.filter((remark) => remark.kind === 'violation'),
    unjudged: countWhy(remarks),
    counts: audit.book.counts(),
  };
}

/** A violation counts when it is still there after the row was read again. */
async function judged(audit: Audit, scope: AuditScope): Promise<readonly Remark[]> {
  const { book } = audit;
  const first = book.judge(scope);
  const violations = first.filter((remark) => remark.kind === 'violation');
  const suspects = [...new Set(violations.map(({ id }) => id))];
  if (scope.isQuiescent || suspects.length === 0) return first;
  await readAgain(audit, suspects);
  const before = new Set(violations.map(nameOf));
  const standing = book
    .judge(scope, suspects)
    .filter((remark) => remark.kind === 'violation' && before.has(nameOf(remark)));
  return [...first.filter((remark) => remark.kind === 'unjudged'), ...standing];
}

async function readAgain({ book, reader }: Audit, suspects: readonly string[]): Promise<void> {
  const ids = suspects.flatMap((name) => parseNotificationId(name) ?? []);
  for (let from = 0; from < ids.length; from += PAGE_ROWS) {
    const asked = ids.slice(from, from + PAGE_ROWS);
    const found = await reader.rowsOf(asked);
    for (const fact of found) book.row(fact);
    const there = new Set(found.map(({ row }) => row.id));
    for (const id of asked) if (!there.has(id)) book.noRow(id);
  }
}

function nameOf({ rule, id }: Violation): string {
  return `${rule} ${id}`;
}

function countWhy(remarks: readonly Remark[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const remark of remarks)
    if (remark.kind === 'unjudged') counts[remark.why] = (counts[remark.why] ?? 0) + 1;
  return counts;
}
