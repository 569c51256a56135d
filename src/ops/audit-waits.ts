// S2: what is not final waits for a time or is held for a named reason, and no time has passed unnoticed. At quiescence everything is
// final (and published) or held.
import type { Notification } from '../domain/notification.ts';
import { type AuditScope, type Remark, type Subject, violationOf } from './audit-facts.ts';

export function auditWaits(id: string, { stored }: Subject, scope: AuditScope): readonly Remark[] {
  const what = stored === null ? null : openEnd(stored.row);
  if (stored === null || what === null) return [];
  const { wakeAtMs, hold } = stored.row;
  if (wakeAtMs === null && hold === null)
    return [violationOf('S2', id, 'a due time or a hold', `${what}, neither`)];
  if (scope.isQuiescent) return hold === null ? [violationOf('S2', id, 'a final row or a hold', what)] : [];
  return tooLate(id, what, wakeAtMs === null ? 0 : stored.readAtMs - wakeAtMs, scope);
}

/** What the row still owes, in words; null: nothing. */
function openEnd({ final, status, attempts, publishedSeq, outcomeSeq }: Notification): string | null {
  if (final === null) return `${status}, ${attempts} attempts`;
  return publishedSeq < outcomeSeq ? `outcome ${outcomeSeq} not acknowledged` : null;
}

function tooLate(id: string, what: string, lateMs: number, { lateAfterMs }: AuditScope): readonly Remark[] {
  if (lateMs <= lateAfterMs) return [];
  return [
    violationOf(
      'S2',
      id,
      `woken within ${seconds(lateAfterMs)} of its time`,
      `${what}, ${seconds(lateMs)} late`,
    ),
  ];
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
