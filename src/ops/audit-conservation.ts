// Nothing is lost and nothing comes from nowhere: every accepted request has its row, its dead letter or its quarantine entry, and every
// row has a request. A request that the group has not committed may still be under way, unless the system is said to be quiescent.
import {
  type AuditScope,
  type Remark,
  type RowFact,
  type Subject,
  unjudged,
  violationOf,
} from './audit-facts.ts';

/** Clocks of brokers, database and producers may differ by this much. */
const CLOCK_MARGIN_MS = 10_000;

export function auditConservation(id: string, subject: Subject, scope: AuditScope): readonly Remark[] {
  return [...requestsWithoutTrace(id, subject, scope), ...rowFromNowhere(id, subject, scope)];
}

function requestsWithoutTrace(id: string, subject: Subject, scope: AuditScope): readonly Remark[] {
  const { requests, stored, isQuarantined } = subject;
  return requests.flatMap(({ partition, offset, payloadHash, isCommitted }): readonly Remark[] => {
    if (isQuarantined || (!isCommitted && !scope.isQuiescent)) return [];
    const place = `request ${partition}/${offset}`;
    if (payloadHash === null) return [violationOf('conservation', id, `a dead letter of ${place}`, 'none')];
    if (stored === null)
      return [
        violationOf('conservation', id, `a row, a dead letter or a quarantine entry for ${place}`, 'none'),
      ];
    if (stored.payloadHash === '')
      return [unjudged('rows without content: their payload cannot be compared')];
    if (stored.payloadHash === payloadHash) return [];
    return [violationOf('conservation', id, `a dead letter payload-conflict of ${place}`, 'none')];
  });
}

function rowFromNowhere(id: string, { requests, stored }: Subject, scope: AuditScope): readonly Remark[] {
  if (stored === null || requests.length > 0 || isYoung(stored, scope)) return [];
  const { row } = stored;
  if (row.final === 'cancelled' && row.attempts === 0) return [unjudged('rows that a cancel made')];
  if (scope.requestsSinceMs !== null && row.createdAtMs < scope.requestsSinceMs + CLOCK_MARGIN_MS)
    return [unjudged('rows older than the oldest request in the topic')];
  return [violationOf('conservation', id, 'a request that the row came from', 'none')];
}

function isYoung({ row }: RowFact, { isQuiescent, startedAtMs }: AuditScope): boolean {
  return !isQuiescent && row.createdAtMs >= startedAtMs - CLOCK_MARGIN_MS;
}
