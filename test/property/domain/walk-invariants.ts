// What must hold in every state that the rules can reach, written from the specification and not from the code.
import type { Notification, NotificationState } from '../../../src/domain/notification.ts';
import { MAX_TAKEOVERS, type RuleFacts } from '../../../src/domain/rule-facts.ts';
import { LONGEST_RECORD_WAIT_MS } from '../../support/a-notification.ts';
import type { Walk, WalkCall } from './walk-state.ts';

function must(holds: boolean, rule: string, walk: Walk): void {
  if (!holds) throw new Error(`${rule}\n${walk.diary.join('\n')}\n${JSON.stringify(walk.row)}`);
}

/** DESIGN §2, word for word. */
export function meetsObligations(row: Notification): boolean {
  const isPublished = row.publishedSeq === row.outcomeSeq;
  return (
    (row.final !== null && (isPublished || row.wakeAtMs !== null)) ||
    (row.final === null &&
      isPublished &&
      (row.wakeAtMs !== null || (row.hold !== null && row.claim === null)))
  );
}

/** The rules' part of a row without its diary: what a repeat of the same answer must not touch. */
export function decidedPart(row: NotificationState): string {
  const { status, final, cycle, attempts, claim, unknown, hold, lastError, providerKey } = row;
  const { providerMessageId, evidence, outcome, outcomeSeq, publishedSeq, inAppStatus } = row;
  return JSON.stringify([
    [status, final, cycle, attempts, claim, unknown, hold, lastError, providerKey],
    [providerMessageId, evidence, outcome, outcomeSeq, publishedSeq, inAppStatus],
  ]);
}

export function checkStep(before: Notification | null, row: Notification, walk: Walk): void {
  must(meetsObligations(row), 'CHECK: something is owed and no column says it', walk);
  must(row.publishedSeq <= row.outcomeSeq, 'published is ahead of decided', walk);
  must(row.trail.length <= 2_048, 'the trail outgrew its limit', walk);
  must(/^[ -~]*$/.test(row.trail.replaceAll('\n', '')), 'the trail holds more than printable ASCII', walk);
  must((row.status === 'Sent') <= (row.final !== null), 'a Sent row is not final', walk);
  must(row.final === null || row.claim === null, 'a final row is claimed', walk);
  must(row.final === null || row.unknown === null, 'a final row is in doubt', walk);
  must(row.final === null || row.inAppStatus !== 'waiting', 'a final row still waits to show its copy', walk);
  checkUnclaimed(row, walk);
  if (before !== null) checkMove(before, row, walk);
}

function checkUnclaimed(row: Notification, walk: Walk): void {
  if (row.final !== null || row.claim !== null) {
    must(row.claim === null || !row.wakeInLog, 'a lease has a wake-up record', walk);
    return;
  }
  const { wakeAtMs, notAfterMs } = row;
  must(walk.accepted.size === 0, 'an accepted answer was recorded and the row is not Sent', walk);
  must(notAfterMs === null || (wakeAtMs !== null && wakeAtMs <= notAfterMs), 'a wait beyond notAfter', walk);
  const waitMs = (wakeAtMs ?? walk.nowMs) - walk.nowMs;
  must(!row.wakeInLog || waitMs <= LONGEST_RECORD_WAIT_MS, 'a record carries a wait that is too long', walk);
}

function checkMove(before: Notification, row: Notification, walk: Walk): void {
  const { cause } = walk;
  const mayUndo = cause === 'failed-webhook' || cause === 'forced-redrive';
  must(before.status !== 'Sent' || row.status === 'Sent' || mayUndo, 'S4: Sent was rolled back', walk);
  const mayReopen = before.final === null || row.final !== null || cause !== null;
  must(mayReopen, 'S23: a final row was reopened by our own writers', walk);
  const isNewCycle = row.cycle === before.cycle + 1 && (row.final === null || row.final === 'cancelled');
  must(row.cycle === before.cycle || isNewCycle, 'the cycle rose without a reason', walk);
  must(
    row.attempts >= before.attempts || cause?.endsWith('redrive') === true || before.claim !== null,
    'Attempts were lost',
    walk,
  );
  const wakeMoved = before.wakeAtMs !== row.wakeAtMs;
  must(!wakeMoved || row.wakeSeq === before.wakeSeq + 1, 'wake_at changed and wakeSeq did not', walk);
  must(row.version === before.version + 1, 'S7: the version did not rise by one', walk);
}

export function checkSend(row: NotificationState, call: WalkCall, facts: RuleFacts, walk: Walk): void {
  must(row.final === null, 'S6: a call after final', walk);
  must(row.notAfterMs === null || facts.nowMs <= row.notAfterMs, 'an attempt starts after notAfter', walk);
  must(
    row.notBeforeMs === null || facts.nowMs >= row.notBeforeMs,
    'an attempt starts before notBefore',
    walk,
  );
  must(facts.config?.isEnabled === true, 'S14: a call on a channel that is off or unconfigured', walk);
  must(facts.providers.get(call.providerKey)?.isStub === false, 'S14: a call to a stub', walk);
  must(facts.gateOf(call.providerKey).kind === 'open', 'a call through a closed gate', walk);
  must(call.attempt <= (facts.config?.maxAttempts ?? 0), 'S5: more attempts than MaxAttempts', walk);
  must(call.takeovers <= MAX_TAKEOVERS, 'S5: more takeovers than three', walk);
  must(walk.accepted.size === 0, 'a call after a recorded acceptance', walk);
  const { row: stored } = walk;
  if (stored === null) return;
  const counted = call.takeovers > 0 ? stored.attempts : stored.attempts + 1;
  must(call.attempt === counted, 'S5: a claim that does not count, or counts twice', walk);
  if (stored.hold === null)
    must(facts.nowMs >= (stored.wakeAtMs ?? 0), 'S8: a call before the wake-up is due', walk);
  if (call.takeovers > 0) return;
  must(facts.nowMs >= (stored.nextAttemptAtMs ?? 0), 'S8: a call before NextAttemptAt', walk);
  must(facts.nowMs >= walk.retryAfterUntilMs, 'S8: a call before Retry-After', walk);
}

export function checkFinal(row: Notification, walk: Walk): void {
  const { outcome } = row;
  if (row.final === null || outcome === null) return;
  const seen = walk.dispatched.get(outcome.seq);
  must(seen === undefined || seen === JSON.stringify(outcome), 'S3: one outcomeSeq, two outcomes', walk);
  walk.dispatched.set(outcome.seq, JSON.stringify(outcome));
  must(walk.dispatched.size === row.outcomeSeq, 'S3: an outcomeSeq was left out', walk);
  must(outcome.seq === row.outcomeSeq, 'S3: the outcome is not the current one', walk);
  if (row.final === 'accepted')
    must(
      walk.messages.some((message) => message.id === row.providerMessageId),
      'S22: Sent without an accepted message',
      walk,
    );
  if (row.final !== 'exhausted') return;
  const failed = new Set(
    walk.calls
      .filter((call) => call.budget === walk.budget && call.known === 'failed' && !call.isGivenBack)
      .map((call) => call.attempt),
  );
  must(failed.size >= outcome.maxAttempts, 'S21: exhausted with fewer failures than MaxAttempts', walk);
  must(
    walk.calls.every((call) => call.budget !== walk.budget || call.known !== 'nothing'),
    'S21: exhausted while a call may have been accepted',
    walk,
  );
}

/** S1 for providers with a key or a lookup, and for policies that never send again. */
export function checkMessages(walk: Walk): void {
  const { setup } = walk;
  if (setup.mayResend || setup.capability === 'replace' || setup.otherCapability === 'replace') return;
  const cycles = walk.messages.map(({ cycle }) => cycle);
  must(new Set(cycles).size === cycles.length, 'S1: a second message in a cycle', walk);
}

/** S2: whoever reads that it failed for certain asks again, and nothing warns of a second message. By force means: knowing of the first. */
export function checkEnd(walk: Walk): void {
  const { row } = walk;
  if (row === null || row.status !== 'Failed' || row.final === null) return;
  if (row.outcome?.isUncertain === true) return;
  const isRedriven = row.trail.includes(' command-redrive result=done');
  const out = walk.messages.filter(
    ({ isReplaced, verdict, cycle }) =>
      !isReplaced && !verdict.startsWith('failed') && (!isRedriven || cycle === row.cycle),
  );
  must(out.length === 0, `S2: ${row.final} is certain, and ${out[0]?.id} is out`, walk);
}
