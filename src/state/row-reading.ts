// A stored row as the domain knows it: which columns are selected, and how their cells are read. One order for both, side by side.
import type { Channel } from '../domain/channel.ts';
import type { ErrorClass, ErrorCode, LastError } from '../domain/codes.ts';
import { committedRow, type Stamps } from '../domain/committed-row.ts';
import { type Hold, type HoldReason, holdOf } from '../domain/hold.ts';
import type {
  Claim,
  FinalOutcome,
  FinalReason,
  MessageEvidence,
  Notification,
  NotificationState,
  Status,
  UnknownAttempt,
} from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { epochMs, epochMsOrNull, flag, integer, type TextCell, text, textOrNull } from './cells.ts';
import { epochSql } from './change-columns.ts';

const times = (...columns: readonly string[]) => columns.map((column) => epochSql(`n.${column}`)).join(', ');

/** The select list of a whole row of `notifications as n`; ROW_CELLS long. */
export const ROW_SQL = `n.id, n.tenant_id, n.channel, n.status, n.final, n.cycle, n.attempts,
  n.claim_token, n.claim_attempt, n.claim_provider, n.claim_takeovers,
  n.unknown_attempt, n.unknown_provider, n.unknown_resolution, ${times('unknown_since')},
  n.hold_reason, n.error_code, n.error_class, n.error_provider_code, n.provider_key, n.provider_message_id,
  n.evidence, n.outcome, n.outcome_seq, n.published_seq, n.in_app_status, n.version, n.wake_seq, n.wake_in_log, n.trail,
  ${times('read_at', 'delivered_at', 'not_before', 'not_after', 'requested_at', 'wake_at', 'next_attempt_at')},
  ${times('created_at', 'first_attempt_at', 'last_attempt_at', 'outcome_at')},
  ${times('seen_at', 'complained_at', 'unsubscribed_at', 'closed_at')}, n.cancel_by, n.command_ids,
  n.in_app_user, n.hold_pause, n.unknown_is_resent`;
export const ROW_CELLS = 50;

type Cells = readonly TextCell[];

const NO_COMMANDS: readonly string[] = [];

const CLAIM_AT = 7;
const UNKNOWN_AT = 11;
const ERROR_AT = 16;
const OUTCOME_AT = 19;
const COUNTERS_AT = 26;
const TIMES_AT = 30;
const STAMPS_AT = 35;
const REPORTS_AT = 41;

export function rowOf(cells: Cells): Notification {
  return committedRow(stateOf(cells), stampsOf(cells));
}

function stateOf(cells: Cells): NotificationState {
  const [id, tenantId, channel, status, final, cycle, attempts] = cells;
  const [providerKey, messageId, evidence, outcome, outcomeSeq, publishedSeq, inAppStatus] =
    cells.slice(OUTCOME_AT);
  const [readAt, deliveredAt, notBefore, notAfter, requestedAt] = cells.slice(TIMES_AT);
  const [seenAt, complainedAt, unsubscribedAt, closedAt, cancelBy, commandIds, inAppUser, pause, resent] =
    cells.slice(REPORTS_AT);
  return {
    id: text(id) as NotificationId,
    tenantId: textOrNull(tenantId),
    channel: text(channel) as Channel,
    status: text(status) as Status,
    final: textOrNull(final) as FinalReason | null,
    cycle: integer(cycle),
    attempts: integer(attempts),
    claim: claimOf(cells.slice(CLAIM_AT, UNKNOWN_AT)),
    unknown: unknownOf(cells.slice(UNKNOWN_AT, ERROR_AT - 1), resent),
    hold: holdIn(textOrNull(cells[ERROR_AT - 1]), textOrNull(pause)),
    lastError: lastErrorOf(cells.slice(ERROR_AT, OUTCOME_AT)),
    providerKey: textOrNull(providerKey),
    providerMessageId: textOrNull(messageId),
    evidence: evidence === '[]' ? [] : (JSON.parse(text(evidence)) as readonly MessageEvidence[]),
    outcome: outcome === null ? null : (JSON.parse(text(outcome)) as FinalOutcome),
    outcomeSeq: integer(outcomeSeq),
    publishedSeq: integer(publishedSeq),
    inAppUserId: textOrNull(inAppUser),
    inAppStatus: text(inAppStatus) as Notification['inAppStatus'],
    readAtMs: epochMsOrNull(readAt),
    deliveredAtMs: epochMsOrNull(deliveredAt),
    seenAtMs: epochMsOrNull(seenAt),
    complainedAtMs: epochMsOrNull(complainedAt),
    unsubscribedAtMs: epochMsOrNull(unsubscribedAt),
    closedAtMs: epochMsOrNull(closedAt),
    cancelBy: textOrNull(cancelBy),
    commandIds: textOrNull(commandIds)?.split(' ') ?? NO_COMMANDS,
    notBeforeMs: epochMsOrNull(notBefore),
    notAfterMs: epochMsOrNull(notAfter),
    requestedAtMs: epochMs(requestedAt),
  };
}

function stampsOf(cells: Cells): Stamps {
  const [version, wakeSeq, wakeInLog, trail] = cells.slice(COUNTERS_AT);
  const [wakeAt, nextAt, createdAt, firstAt, lastAt, outcomeAt] = cells.slice(STAMPS_AT);
  return {
    version: integer(version),
    wakeSeq: integer(wakeSeq),
    wakeInLog: flag(wakeInLog),
    trail: text(trail),
    wakeAtMs: epochMsOrNull(wakeAt),
    nextAttemptAtMs: epochMsOrNull(nextAt),
    createdAtMs: epochMs(createdAt),
    firstAttemptAtMs: epochMsOrNull(firstAt),
    lastAttemptAtMs: epochMsOrNull(lastAt),
    outcomeAtMs: epochMsOrNull(outcomeAt),
  };
}

function holdIn(reason: string | null, pause: string | null): Hold | null {
  return reason === null ? null : holdOf(reason as HoldReason, pause);
}

function claimOf([token, attempt, providerKey, takeovers]: Cells): Claim | null {
  if (token === null || token === undefined) return null;
  return {
    token,
    attempt: integer(attempt),
    providerKey: text(providerKey),
    takeovers: integer(takeovers),
  };
}

function unknownOf(
  [attempt, providerKey, resolution, since]: Cells,
  resent: TextCell | undefined,
): UnknownAttempt | null {
  if (attempt === null || attempt === undefined) return null;
  return {
    attempt: Number(attempt),
    providerKey: text(providerKey),
    sinceMs: epochMs(since),
    resolution: text(resolution) as UnknownAttempt['resolution'],
    ...(resent == null ? {} : { isResent: true }),
  };
}

function lastErrorOf([code, errorClass, providerCode]: Cells): LastError | null {
  if (code === null || code === undefined) return null;
  return {
    code: code as ErrorCode,
    errorClass: text(errorClass) as ErrorClass,
    providerCode: textOrNull(providerCode),
  };
}
