// Pays what a committed row owes the log: its outcome, or its wake-up. Produced from the row, acknowledged before it returns.
// Repeating it is harmless: an outcome's bytes are the same, a wake-up decides nothing.

import { changed } from '../domain/committed-row.ts';
import type { Notification, Status } from '../domain/notification.ts';
import { obligationOf, owesOutcome } from '../domain/obligation.ts';
import type { Content } from '../domain/request.ts';
import { tierFor } from '../domain/tiers.ts';
import { isoTime } from '../runtime/clock.ts';
import { invariant } from '../runtime/fault.ts';
import { dispatchedRecord } from '../streams/dispatched.ts';
import { retryDueRecord, type WakeUp } from '../streams/retry-due.ts';
import { causeFacts } from './cause-facts.ts';
import type { Engine } from './engine.ts';
import { forgetInvalidToken } from './invalid-token.ts';
import { produce } from './produce.ts';

/** `from`: the status before the commit that made the debt, for the log; left out where nobody knows it. */
export async function payObligation(
  engine: Engine,
  row: Notification,
  content: Content | null,
  from?: Status,
): Promise<void> {
  const owed = obligationOf(row);
  if (owed.kind === 'outcome') await publishOutcome(engine, row, content, from);
  if (owed.kind !== 'wake-up') return;
  await produceWakeUp(engine, { notificationId: row.id, dueAtMs: owed.dueAtMs, wakeSeq: owed.wakeSeq });
  // A row that waits without having been called is no retry.
  if (row.status === 'Failed') reportRetry(engine, row, content, owed.dueAtMs, from);
}

/** The row as it is known after the acknowledgement; the mark itself rides on a later flush. */
export async function publishOutcome(
  engine: Engine,
  row: Notification,
  content: Content | null,
  from?: Status,
): Promise<Notification> {
  const { outcome } = row;
  invariant(outcome !== null && owesOutcome(row), `row ${row.id} owes no outcome`);
  invariant(content !== null, `row ${row.id} owes an outcome and has no content`);
  await forgetInvalidToken(engine, row, content);
  if (engine.topics.writesDispatched)
    await produce(engine, dispatchedRecord(engine.topics, engine.codec, row, content));
  engine.store.mark(row.id, row.outcomeSeq);
  engine.published.note(row.id, row.outcomeSeq);
  countOutcome(engine, row, content, from);
  return changed(row, { publishedSeq: row.outcomeSeq, wakeAtMs: null });
}

/** Into the largest tier that is not longer than what is left. */
export async function produceWakeUp(engine: Engine, wakeUp: WakeUp): Promise<void> {
  const leftMs = Math.max(0, wakeUp.dueAtMs - engine.storeClock.nowMs());
  const { name } = tierFor(engine.topics.tiers, leftMs);
  const tier = engine.topics.tiers.find((candidate) => candidate.name === name);
  invariant(tier !== undefined, `tier ${name} has no topic`);
  await produce(engine, retryDueRecord(engine.codec, tier, wakeUp));
  engine.metrics.increment('pin_retry_scheduled_total', { tier: name });
}

function reportRetry(
  engine: Engine,
  row: Notification,
  content: Content | null,
  dueAtMs: number,
  from: Status | undefined,
): void {
  engine.logger.debug('notification.retry-scheduled', {
    notification_id: row.id,
    channel: row.channel,
    provider: row.providerKey,
    attempt: row.attempts,
    cycle: row.cycle,
    error_code: row.lastError?.code,
    due_at: isoTime(dueAtMs),
    ...statusFacts(row, content, from),
  });
}

function statusFacts(row: Notification, content: Content | null, from: Status | undefined) {
  const facts = { status_to: row.status, version: row.version, ...causeFacts(content) };
  return from === undefined ? facts : { status_from: from, ...facts };
}

function countOutcome(engine: Engine, row: Notification, content: Content, from: Status | undefined): void {
  const { outcome, channel } = row;
  if (outcome === null) return;
  engine.metrics.increment('pin_notifications_dispatched_total', { channel, status: outcome.status });
  engine.logger.info(outcome.status === 'Sent' ? 'notification.sent' : 'notification.failed', {
    notification_id: row.id,
    channel,
    provider: outcome.providerKey,
    attempt: outcome.attempts,
    cycle: outcome.cycle,
    reason: outcome.reason,
    error_code: outcome.error?.code,
    ...statusFacts(row, content, from),
    duration_ms: row.outcomeAtMs === null ? undefined : row.outcomeAtMs - row.createdAtMs,
  });
}
