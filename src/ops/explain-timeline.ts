// The story of one notification for `pin show`: what was asked, every decision with the rule that fired, and what comes next and when.
// It never shows a recipient, a body or a value of the data.
import type { Notification } from '../domain/notification.ts';
import { MAX_TRAIL_CHARS, MAX_TRAIL_CODE_CHARS, parseTrail } from '../domain/trail.ts';
import type { Standing } from './standing-words.ts';
import { entryWords } from './timeline-words.ts';
import { type NextStep, whatComesNext } from './what-comes-next.ts';

interface TimelineLine {
  readonly atMs: number;
  /** The rule that fired; null for a fact that no rule decided. */
  readonly rule: string | null;
  readonly words: string;
}

export interface Timeline {
  readonly lines: readonly TimelineLine[];
  /** True when the oldest decisions may have been dropped from the row. */
  readonly isCut: boolean;
  readonly next: NextStep;
}

/** `nowMs` by the store's clock; `standing` adds who paused or closed what it waits for. */
export function explainTimeline(row: Notification, nowMs: number, standing: Standing = null): Timeline {
  const decisions = parseTrail(row.trail).map((entry) => ({
    atMs: entry.atMs,
    rule: entry.rule,
    words: entryWords(entry),
  }));
  return {
    lines: [...beginning(row), ...decisions, ...evidenceLines(row)].sort(
      (left, right) => left.atMs - right.atMs,
    ),
    isCut: row.trail.length > MAX_TRAIL_CHARS - MAX_TRAIL_CODE_CHARS - 16,
    next: whatComesNext(row, nowMs, standing),
  };
}

function beginning(row: Notification): readonly TimelineLine[] {
  return [
    { atMs: row.requestedAtMs, rule: null, words: `Requested on ${row.channel}.` },
    { atMs: row.createdAtMs, rule: null, words: 'Taken from the request topic and stored.' },
  ];
}

/** Times that the row keeps for good, also when the trail has forgotten the decision. */
function evidenceLines(row: Notification): readonly TimelineLine[] {
  const delivered = { atMs: row.deliveredAtMs, words: 'Delivered, says the provider.' };
  const read = { atMs: row.readAtMs, words: 'Read in the app.' };
  const others = [
    { atMs: row.seenAtMs, words: 'Opened, says the provider.' },
    { atMs: row.complainedAtMs, words: 'The recipient complained, says the provider.' },
    { atMs: row.unsubscribedAtMs, words: 'The recipient unsubscribed, says the provider.' },
    { atMs: row.closedAtMs, words: 'The failure was acknowledged.' },
  ];
  return [delivered, read, ...others].flatMap(({ atMs, words }) =>
    atMs === null ? [] : [{ atMs, rule: null, words }],
  );
}
