// The doubt that an answered call leaves behind. Several calls can be in doubt at once: policy `resend` makes the next one while nobody knows
// of those before, a provider that replaces is called again, and a claim can be lost beside the report of an older message. Then what becomes
// of one message says nothing of the others, and a failure of it is never certain. A final row keeps the doubt in its outcome.
import type { Claim, Notification, NotificationState, UnknownAttempt } from './notification.ts';
import type { RuleFacts } from './rule-facts.ts';

/** A row of which the store said when its last call began. */
export type CalledRow = NotificationState & Pick<Notification, 'lastAttemptAtMs'>;

export interface KnownCall {
  readonly attempt: number;
  /** It is the last one that was made, and not another of the same attempt. */
  readonly isLast: boolean;
}

/** What nobody knows still once it is known what became of `call`; null when everything is known. */
export function doubtLeft(row: CalledRow, call: KnownCall, facts: RuleFacts): UnknownAttempt | null {
  const doubt = doubtToKeep(doubtOf(row), facts);
  if (doubt === null || isAlone(doubt, row, call, facts)) return null;
  if (doubt.resolution === 'resend') return doubt;
  // What replaced all calls before it leaves nothing of them.
  const isReplaced = isReplacing(doubt, facts) && (call.isLast || call.attempt > doubt.attempt);
  return isReplaced ? null : { ...doubt, resolution: 'retry' };
}

/** What nobody knows of the row's calls; a final row keeps it in its outcome. */
export function doubtOf({ final, unknown, outcome }: NotificationState): UnknownAttempt | null {
  return final === null ? unknown : (outcome?.doubt ?? null);
}

/** A doubt that may outlive the answer to one of its calls; the same key is the same message. */
export function doubtToKeep(doubt: UnknownAttempt | null, facts: RuleFacts): UnknownAttempt | null {
  if (doubt === null || doubt.resolution === 'resend') return doubt;
  return facts.providers.get(doubt.providerKey)?.capability === 'key' ? null : doubt;
}

/** The mark of a claimed call that nobody answered. */
export function doubtAbout(row: Notification, claim: Claim, facts: RuleFacts): UnknownAttempt {
  const { attempt, providerKey } = claim;
  const sinceMs = row.unknown?.sinceMs ?? row.lastAttemptAtMs ?? facts.nowMs;
  return { attempt, providerKey, sinceMs, resolution: row.unknown?.resolution ?? 'retry' };
}

/** Several calls are in doubt, and each may have put out a message that takes the place of the one before. */
export function isReplacedInDoubt(row: CalledRow, facts: RuleFacts): boolean {
  const { unknown } = row;
  return unknown !== null && isReplacing(unknown, facts) && isOlderThanTheLastCall(unknown, row);
}

/** The mark names the latest of the calls in doubt, and a replacing provider may have been called twice for one attempt. */
function isAlone(doubt: UnknownAttempt, row: CalledRow, { attempt }: KnownCall, facts: RuleFacts): boolean {
  const isFirst = attempt === 1 && !isReplacing(doubt, facts);
  return doubt.attempt === attempt && (isFirst || !isOlderThanTheLastCall(doubt, row));
}

function isReplacing({ providerKey }: UnknownAttempt, facts: RuleFacts): boolean {
  return facts.providers.get(providerKey)?.capability === 'replace';
}

/** Calls before the last one are in doubt. */
export function isOlderThanTheLastCall({ sinceMs }: UnknownAttempt, { lastAttemptAtMs }: CalledRow): boolean {
  return sinceMs < (lastAttemptAtMs ?? 0);
}
