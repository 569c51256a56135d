// The doubt that an answered call leaves behind. Several calls can be in doubt at once: policy `resend` makes the next one while nobody knows
// of those before, a provider that replaces is called again, and a claim can be lost beside the report of an older message. Then what becomes
// of one message says nothing of the others, and a failure of it is never certain. A final row keeps the doubt in its outcome.
import type { Capability } from './call-outcome.ts';
import type { Claim, Notification, NotificationState, UnknownAttempt } from './notification.ts';
import type { RuleFacts } from './rule-facts.ts';

/** A row of which the store said when its last call began. */
export type CalledRow = NotificationState & Pick<Notification, 'lastAttemptAtMs'>;

export interface KnownCall {
  readonly cycle: number;
  readonly attempt: number;
  /** It is the last one that was made, and not another of the same attempt. */
  readonly isLast: boolean;
}

/** What nobody knows still once it is known what became of `call`; null when everything is known. */
export function doubtLeft(row: CalledRow, call: KnownCall, facts: RuleFacts): UnknownAttempt | null {
  const doubt = doubtOf(row);
  // What is told after a redrive by force, or a reopening in doubt, may be about an earlier cycle's message; a call's own answer is not.
  const mayBeOlder = call.cycle !== row.cycle || (row.outcome?.wasRedrivenInDoubt === true && !call.isLast);
  if (doubt === null || (!mayBeOlder && isOver(doubt, row, call, facts))) return null;
  return { ...doubt, resolution: wasResent(doubt) ? 'resend' : 'retry' };
}

/** What nobody knows of the row's calls; a final row keeps it in its outcome. */
export function doubtOf({ final, unknown, outcome }: NotificationState): UnknownAttempt | null {
  return final === null ? unknown : (outcome?.doubt ?? null);
}

/** The mark of a claimed call that nobody answered. */
export function doubtAbout(row: Notification, claim: Claim, facts: RuleFacts): UnknownAttempt {
  return { ...doubtIncluding(row, claim, facts), resolution: row.unknown?.resolution ?? 'retry' };
}

/** Of a call and of those that were in doubt before it. */
export function doubtIncluding(
  { unknown, lastAttemptAtMs }: Notification,
  { attempt, providerKey }: Pick<Claim, 'attempt' | 'providerKey'>,
  facts: RuleFacts,
): Omit<UnknownAttempt, 'resolution'> {
  const sinceMs = unknown?.sinceMs ?? lastAttemptAtMs ?? facts.nowMs;
  return { attempt, providerKey, sinceMs, ...(wasResent(unknown) ? { isResent: true } : {}) };
}

/** The same calls, and another way to settle what became of them. */
export function resolvedBy(doubt: UnknownAttempt, resolution: UnknownAttempt['resolution']): UnknownAttempt {
  return { ...doubt, resolution, ...(wasResent(doubt) ? { isResent: true } : {}) };
}

export function wasResent(doubt: UnknownAttempt | null): boolean {
  return doubt !== null && (doubt.isResent === true || doubt.resolution === 'resend');
}

/** Several calls are in doubt, and each may have put out a message that takes the place of the one before. */
export function isReplacedInDoubt(row: CalledRow, facts: RuleFacts): boolean {
  const { unknown } = row;
  return unknown !== null && isReplacing(unknown, facts) && isOlderThanTheLastCall(unknown, row);
}

function isOver(doubt: UnknownAttempt, row: CalledRow, call: KnownCall, facts: RuleFacts): boolean {
  if (isAlone(doubt, row, call, facts)) return true;
  if (wasResent(doubt)) return false;
  // The same key is the same message in a cycle; and what replaced all calls before it leaves nothing of them.
  if (hasCapability(doubt, 'key', facts)) return true;
  return isReplacing(doubt, facts) && (call.isLast || call.attempt > doubt.attempt);
}

/** The mark names the latest of the calls in doubt, and a replacing provider may have been called twice for one attempt. */
function isAlone(doubt: UnknownAttempt, row: CalledRow, { attempt }: KnownCall, facts: RuleFacts): boolean {
  const isFirst = attempt === 1 && !isReplacing(doubt, facts);
  return doubt.attempt === attempt && (isFirst || !isOlderThanTheLastCall(doubt, row));
}

function isReplacing(doubt: UnknownAttempt, facts: RuleFacts): boolean {
  return hasCapability(doubt, 'replace', facts);
}

function hasCapability({ providerKey }: UnknownAttempt, capability: Capability, facts: RuleFacts): boolean {
  return facts.providers.get(providerKey)?.capability === capability;
}

/** Calls before the last one are in doubt. */
export function isOlderThanTheLastCall({ sinceMs }: UnknownAttempt, { lastAttemptAtMs }: CalledRow): boolean {
  return sinceMs < (lastAttemptAtMs ?? 0);
}
