// The table's CHECK constraints in TypeScript, for the in-memory store: what Postgres would refuse, under the same names.
// The SQL is the original; a contract test holds both against the same rows.
import type { Notification } from '../domain/notification.ts';
import type { Content } from '../domain/request.ts';
import { MAX_TRAIL_CHARS } from '../domain/trail.ts';

/** Names the constraint that `row` breaks (or the text that Postgres cannot hold); null when it may be committed. */
export function refusalOf(row: Notification, content: Content | null): string | null {
  if (hasUnstorableText(row) || hasUnstorableText(content)) return 'unstorable-text';
  const broken = CHECKS.find(([, holds]) => !holds(row));
  return broken === undefined ? null : broken[0];
}

const CHECKS: readonly (readonly [string, (row: Notification) => boolean])[] = [
  ['notifications_obligations', meetsObligations],
  ['notifications_published_seq', (row) => row.publishedSeq >= 0 && row.publishedSeq <= row.outcomeSeq],
  ['notifications_owed_outcome', (row) => row.publishedSeq === row.outcomeSeq || row.outcome !== null],
  ['notifications_counts', (row) => row.attempts >= 0 && row.cycle >= 0],
  ['notifications_trail', (row) => row.trail.length <= MAX_TRAIL_CHARS],
];

/** DESIGN: everything that is still owed is a column. */
function meetsObligations(row: Notification): boolean {
  const isPublished = row.publishedSeq === row.outcomeSeq;
  const wakes = row.wakeAtMs !== null;
  if (row.final !== null) return isPublished || wakes;
  return isPublished && (wakes || (row.hold !== null && row.claim === null));
}

/** Postgres holds neither NUL nor half a surrogate pair. */
function hasUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return /\0|\p{Surrogate}/u.test(value);
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([key, inner]) => hasUnstorableText(key) || hasUnstorableText(inner));
}
