// The doubt that an answered call leaves behind. Policy `resend` makes the next call while nobody knows of the ones before: whatever becomes
// of that one's message, an earlier one may be out, and a failure after it is never certain. A final row keeps the doubt in its outcome.
import type { NotificationState, UnknownAttempt } from './notification.ts';

/** What nobody knows still once it is known what became of the call of `attempt`; null when everything is known. */
export function doubtLeft(row: NotificationState, attempt: number): UnknownAttempt | null {
  const doubt = row.final === null ? row.unknown : (row.outcome?.doubt ?? null);
  if (doubt?.resolution !== 'resend') return null;
  // The mark names the latest of the calls in doubt. That there were none before it is certain of the first call only.
  const isAlone = doubt.attempt === attempt && attempt === 1;
  return isAlone ? null : doubt;
}
