// S1: per cycle at most one message stands, but for those that the policy `resend` sent knowingly. S22: what is Sent was accepted, and
// nothing was sent without a row. With a vendor's ledger the judge is outside the product; without one it is the row's evidence.
import { isStanding } from '../domain/evidence.ts';
import type { Notification } from '../domain/notification.ts';
import { isTombstone } from '../domain/tombstone.ts';
import { MAX_TRAIL_CHARS, MAX_TRAIL_CODE_CHARS, parseTrail } from '../domain/trail.ts';
import { type AuditScope, type Remark, type Subject, unjudged, violationOf } from './audit-facts.ts';

export function auditMessages(id: string, subject: Subject, scope: AuditScope): readonly Remark[] {
  const { stored, messages } = subject;
  if (stored === null) {
    const sent = [...(messages ?? new Map<number, number>()).values()].reduce((sum, count) => sum + count, 0);
    return sent === 0
      ? []
      : [violationOf('S22', id, 'a row for what the ledger holds', `${sent} messages, no row`)];
  }
  const { row } = stored;
  return [
    ...tooMany(id, row, standingByCycle(row), 'the row’s evidence', scope),
    ...tooMany(id, row, messages ?? new Map<number, number>(), 'the ledger', scope),
    ...sentWithoutMessage(id, row, messages),
  ];
}

function standingByCycle(row: Notification): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const message of row.evidence)
    if (isStanding(message)) counts.set(message.cycle, (counts.get(message.cycle) ?? 0) + 1);
  return counts;
}

function tooMany(
  id: string,
  row: Notification,
  messages: ReadonlyMap<number, number>,
  source: string,
  scope: AuditScope,
): readonly Remark[] {
  const most = Math.max(0, ...messages.values());
  const resent = parseTrail(row.trail).filter(({ facts }) => 'resend' in facts).length;
  if (most <= 1 + resent) return [];
  if (isTombstone(row)) return [unjudged('purged rows, which no longer tell how often they were resent')];
  if (row.providerKey !== null && scope.replacingProviders.has(row.providerKey))
    return [unjudged('repeats at a provider that replaces messages')];
  if (resent > 0 && row.trail.length > MAX_TRAIL_CHARS - MAX_TRAIL_CODE_CHARS)
    return [unjudged('rows whose trail no longer tells how often they were resent')];
  return [violationOf('S1', id, `at most ${1 + resent} messages a cycle`, `${most} in ${source}`)];
}

function sentWithoutMessage(
  id: string,
  row: Notification,
  messages: ReadonlyMap<number, number> | null,
): readonly Remark[] {
  const isCertain = row.final === 'accepted' || row.final === 'delivered';
  if (messages === null || row.status !== 'Sent' || !isCertain) return [];
  if ((messages.get(row.cycle) ?? 0) > 0) return [];
  return [
    violationOf('S22', id, `a message of cycle ${row.cycle} in the ledger`, `none, and the row is Sent`),
  ];
}
