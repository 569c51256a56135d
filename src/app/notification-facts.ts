// What an operator may know about a notification at a glance: no recipient, no body, no data.
import { holdReasonOf, pauseOfHold } from '../domain/hold.ts';
import type { Notification } from '../domain/notification.ts';
import { isoTime } from '../runtime/clock.ts';
import type { Stored } from '../state/store.ts';

export type Facts = Readonly<Record<string, string | number | null>>;

export function rowFacts(row: Notification): Facts {
  return {
    id: row.id,
    tenant: row.tenantId,
    channel: row.channel,
    status: row.status,
    final: row.final,
    held: row.hold === null ? null : holdReasonOf(row.hold),
    pause: row.hold === null ? null : pauseOfHold(row.hold),
    attempts: row.attempts,
    cycle: row.cycle,
    provider: row.providerKey,
    providerMessageId: row.providerMessageId,
    errorCode: row.lastError?.code ?? null,
    providerCode: row.lastError?.providerCode ?? null,
    nextAttemptAt: row.final === null ? timeOf(row.nextAttemptAtMs) : null,
    wakeAt: timeOf(row.wakeAtMs),
    notBefore: timeOf(row.notBeforeMs),
    notAfter: timeOf(row.notAfterMs),
    requestedAt: isoTime(row.requestedAtMs),
    inApp: row.inAppStatus === 'none' ? null : row.inAppStatus,
    outcome:
      row.outcomeSeq === 0
        ? null
        : `${row.outcomeSeq}${row.publishedSeq < row.outcomeSeq ? ' (not acknowledged yet)' : ''}`,
    version: row.version,
  };
}

export function notificationFacts({ row, content }: Stored): Facts {
  return {
    ...rowFacts(row),
    template: content?.request.template?.key ?? null,
    correlationId: content?.request.correlationId ?? null,
    recipientHash: content?.recipientHash ?? null,
  };
}

function timeOf(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs);
}
