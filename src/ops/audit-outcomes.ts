// S3: dispatched.v1 holds exactly the outcomes 1 … outcomeSeq of each row (as far as they are acknowledged), repeats are equal byte for
// byte, the highest says what the row says, and nothing else is there: no record for an intermediate failure.
import type { FinalOutcome } from '../domain/notification.ts';
import {
  type AuditScope,
  type OutcomeSaid,
  type Remark,
  type RowFact,
  type Subject,
  unjudged,
  violationOf,
} from './audit-facts.ts';

export function auditOutcomes(
  id: string,
  { stored, outcomes }: Subject,
  scope: AuditScope,
): readonly Remark[] {
  if (!scope.judgesOutcomes) return [];
  const seqs = new Set(outcomes.map(({ said }) => said.seq));
  return [
    ...outcomes
      .filter(({ differing }) => differing > 0)
      .map(({ said, records, differing }) =>
        violationOf(
          'S3',
          id,
          `equal repeats of outcome ${said.seq}`,
          `${differing} of ${records} differ from the first`,
        ),
      ),
    ...(stored === null ? withoutRow(id, seqs) : besideRow(id, stored, seqs, scope)),
    ...(stored === null
      ? []
      : highest(
          id,
          stored,
          outcomes.map(({ said }) => said),
        )),
  ];
}

function withoutRow(id: string, seqs: ReadonlySet<number>): readonly Remark[] {
  return seqs.size === 0
    ? []
    : [violationOf('S3', id, 'a row for its outcomes', `outcome ${list(seqs)} and no row`)];
}

function besideRow(
  id: string,
  { row }: RowFact,
  seqs: ReadonlySet<number>,
  scope: AuditScope,
): readonly Remark[] {
  const told = scope.isQuiescent ? row.outcomeSeq : row.publishedSeq;
  const wanted = Array.from({ length: told }, (_, index) => index + 1);
  const missing = wanted.filter((seq) => !seqs.has(seq));
  const extra = [...seqs].filter((seq) => seq < 1 || seq > row.outcomeSeq);
  const isOld = scope.outcomesSinceMs !== null && row.createdAtMs < scope.outcomesSinceMs;
  return [
    ...(missing.length === 0
      ? []
      : isOld
        ? [unjudged('outcomes of rows older than the oldest outcome in the topic')]
        : [violationOf('S3', id, `outcomes 1 … ${told} on the topic`, `outcome ${list(missing)} missing`)]),
    ...(extra.length === 0
      ? []
      : [
          violationOf(
            'S3',
            id,
            `outcomes up to ${row.outcomeSeq} on the topic`,
            `outcome ${list(extra)} too`,
          ),
        ]),
  ];
}

function highest(id: string, { row }: RowFact, said: readonly OutcomeSaid[]): readonly Remark[] {
  const last = said.reduce<OutcomeSaid | null>(
    (top, one) => (top === null || one.seq > top.seq ? one : top),
    null,
  );
  if (last === null || row.outcome === null || row.outcome.seq !== last.seq) return [];
  const [wanted, found] = [words(saidBy(row.outcome)), words(last)];
  if (wanted !== found) return [violationOf('S3', id, `the row’s outcome: ${wanted}`, found)];
  if (row.final === null || row.status === last.status) return [];
  return [violationOf('S3', id, `the row’s status ${row.status}`, last.status)];
}

function saidBy(outcome: FinalOutcome): OutcomeSaid {
  const { seq, supersedes, status, reason, cycle, attempts, providerMessageId } = outcome;
  return { seq, supersedes, status, reason, cycle, attempts, providerMessageId };
}

function words({ seq, supersedes, status, reason, cycle, attempts, providerMessageId }: OutcomeSaid): string {
  return `${seq} supersedes ${supersedes ?? 'none'}, ${status} ${reason}, cycle ${cycle}, attempts ${attempts}, message ${providerMessageId ?? 'none'}`;
}

function list(seqs: Iterable<number>): string {
  return [...seqs].sort((a, b) => a - b).join(', ');
}
