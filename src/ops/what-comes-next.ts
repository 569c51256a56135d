// What a notification is waiting for and until when, told from its row alone: the row holds every obligation.
import { type Hold, holdReasonOf, pauseOfHold } from '../domain/hold.ts';
import type { Notification, UnknownAttempt } from '../domain/notification.ts';
import { owesOutcome } from '../domain/obligation.ts';
import { isTombstone } from '../domain/tombstone.ts';
import { lastEntry } from '../domain/trail.ts';
import { isoTime } from '../runtime/clock.ts';
import { roughDuration } from '../runtime/duration.ts';
import { gateStands, pauseStands, type Standing } from './standing-words.ts';
import { holdWords } from './timeline-words.ts';

export interface NextStep {
  readonly words: string;
  /** When it happens at the latest, as far as a time is set; null: an event is awaited, or nothing is. */
  readonly atMs: number | null;
}

export function whatComesNext(row: Notification, nowMs: number, standing: Standing = null): NextStep {
  const atMs = row.wakeAtMs;
  if (owesOutcome(row)) {
    return {
      atMs,
      words: `Outcome ${row.outcomeSeq} is decided and its acknowledgement is not recorded yet; without one it is published again${when(atMs, nowMs)}.`,
    };
  }
  if (isTombstone(row)) return { atMs: null, words: tombstoneWords(row) };
  if (row.final !== null) return { atMs: null, words: finalWords(row) };
  if (row.hold !== null) return { atMs, words: holdSentence(row.hold, atMs, standing) };
  if (row.claim !== null) {
    const cancel =
      row.cancelBy === null
        ? ''
        : `; ${row.cancelBy} asked to cancel, which takes effect unless it is accepted`;
    return {
      atMs,
      words: `Attempt ${row.claim.attempt} is with ${row.claim.providerKey}; without an answer it counts as unknown${when(atMs, nowMs)}${cancel}.`,
    };
  }
  if (row.unknown !== null) return { atMs, words: doubtSentence(row, row.unknown, nowMs) };
  if (row.notAfterMs !== null && row.notAfterMs === atMs) {
    return { atMs, words: `Nothing before its time is over (notAfter): it ends${when(atMs, nowMs)}.` };
  }
  const gate = gateAhead(row);
  if (gate !== null) {
    const closed = gateStands(gate, nowMs, standing);
    const again = `it looks again${when(atMs, nowMs)}${carrier(row)}`;
    return {
      atMs,
      words: `Attempt ${row.attempts + 1} waits for the gate of ${gate}${closed}; ${again}.`,
    };
  }
  return { atMs, words: `Attempt ${row.attempts + 1} starts${when(atMs, nowMs)}${carrier(row)}.` };
}

/** ` at …Z (in 3 m 12 s)`, ` now: it is 4 s late`; empty without a time. */
function when(atMs: number | null, nowMs: number): string {
  if (atMs === null) return '';
  const leftMs = atMs - nowMs;
  return leftMs >= 0
    ? ` at ${isoTime(atMs)} (in ${roughDuration(leftMs)})`
    : ` now: it is ${roughDuration(-leftMs)} late`;
}

function carrier(row: Notification): string {
  return row.wakeInLog ? '' : '; the sweeper wakes it';
}

function finalWords(row: Notification): string {
  const published = row.outcomeSeq > 0 ? `; outcome ${row.outcomeSeq} is on the topic` : '';
  return `Nothing: it is final (${row.final ?? ''})${published}.`;
}

function tombstoneWords({ final, outcomeSeq }: Notification): string {
  return `Nothing: it was final (${final ?? ''}, outcome ${outcomeSeq}) and is purged. A repeat of its request is dropped, another payload under its id is a dead letter.`;
}

function holdSentence(hold: Hold, atMs: number | null, standing: Standing): string {
  const expiry = atMs === null ? '' : `, or its time is over at ${isoTime(atMs)}`;
  const pause = pauseOfHold(hold);
  const why =
    pause === null
      ? `${holdWords(holdReasonOf(hold))}; it goes on when that ends`
      : pauseStands(pause, standing);
  return `Held because ${why}${expiry}.`;
}

/** The provider at whose closed gate it waits, as its newest decision says; null: at none. */
function gateAhead(row: Notification): string | null {
  const last = lastEntry(row.trail);
  return last?.rule === 'gate-closed' ? (last.facts['provider'] ?? row.providerKey) : null;
}

function doubtSentence(row: Notification, unknown: UnknownAttempt, nowMs: number): string {
  const time = when(row.wakeAtMs, nowMs);
  switch (unknown.resolution) {
    case 'held':
      return `Waits for a webhook about attempt ${unknown.attempt}; without one it ends as NTF_OUTCOME_UNKNOWN${time}.`;
    case 'look-up':
      return `${unknown.providerKey} is asked about attempt ${unknown.attempt}${time}.`;
    case 'retry':
      return `The call is repeated with the same key${time}.`;
    case 'resend':
      return `It is sent again, although attempt ${unknown.attempt} may have arrived${time}.`;
  }
}
