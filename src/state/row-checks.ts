// The table's CHECK constraints in TypeScript, for the in-memory store: what Postgres would refuse, under the same names.
// The SQL is the original; the contract suite holds both against the same rows.
import { isCancelAhead } from '../domain/cancel.ts';
import { isChannel } from '../domain/channel.ts';
import type { Notification } from '../domain/notification.ts';
import { parseNotificationId } from '../domain/notification-id.ts';
import { MAX_TRAIL_CHARS } from '../domain/trail.ts';

export interface CheckedRow {
  readonly row: Notification;
  readonly writeToken: string;
}

/** Names the constraint that the row breaks (or the value that Postgres cannot hold); null when it may be committed. */
export function refusalOf({ row, writeToken }: CheckedRow): string | null {
  if (hasUnstorableText(row)) return 'unstorable-text';
  if (!isUuid(writeToken) || (row.claim !== null && !isUuid(row.claim.token))) return 'no-uuid';
  const broken = CHECKS.find(([, holds]) => !holds(row));
  return broken === undefined ? null : broken[0];
}

const CHECKS: readonly (readonly [string, (row: Notification) => boolean])[] = [
  ['notifications_obligations', meetsObligations],
  ['notifications_published_seq', (row) => row.publishedSeq >= 0 && row.publishedSeq <= row.outcomeSeq],
  ['notifications_owed_outcome', (row) => row.publishedSeq === row.outcomeSeq || row.outcome !== null],
  ['notifications_counts', (row) => row.attempts >= 0 && row.cycle >= 0],
  ['notifications_channel', (row) => isChannel(row.channel) || (isCancelAhead(row) && row.final !== null)],
  ['notifications_trail', (row) => row.trail.length <= MAX_TRAIL_CHARS],
];

/** Everything that is still owed is a column, and only a final row may owe an outcome. */
function meetsObligations(row: Notification): boolean {
  const isPublished = row.publishedSeq === row.outcomeSeq;
  const wakes = row.wakeAtMs !== null;
  if (row.final !== null) return isPublished || wakes;
  return isPublished && (wakes || (row.hold !== null && row.claim === null));
}

const UNSTORABLE = /\0|\p{Surrogate}/u;
/** Also whole pairs, and ten times as fast to look for. */
const SUSPECT = /[\0\ud800-\udfff]/;

/** Postgres holds neither NUL nor half a surrogate pair. */
function hasUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return SUSPECT.test(value) && UNSTORABLE.test(value);
  if (value === null || typeof value !== 'object') return false;
  for (const name in value) if (hasUnstorableText(value[name as keyof typeof value])) return true;
  return false;
}

function isUuid(text: string): boolean {
  return parseNotificationId(text) !== null;
}
