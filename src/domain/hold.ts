// Why a row is held. An operator's pause is part of the hold itself: a row held by one pause is not held by another.
import type { PauseKey } from './pause.ts';

/** The words that people and metrics see. */
export type HoldReason =
  | 'channel-disabled'
  | 'channel-unconfigured'
  | 'channel-stub'
  | 'paused'
  | 'template-unavailable'
  | 'quiet-hours';

export type Hold = Exclude<HoldReason, 'paused'> | `paused ${PauseKey}`;

const PAUSED = 'paused ';

export function pausedBy(pause: PauseKey): Hold {
  return `paused ${pause}`;
}

export function holdReasonOf(hold: Hold): HoldReason {
  return isPaused(hold) ? 'paused' : hold;
}

/** null: it is not held by a pause. */
export function pauseOfHold(hold: Hold): PauseKey | null {
  return isPaused(hold) ? (hold.slice(PAUSED.length) as PauseKey) : null;
}

/** As stored: reason and pause apart. The table has a pause exactly where the reason is `paused`. */
export function holdOf(reason: HoldReason, pause: string | null): Hold {
  return reason === 'paused' ? pausedBy(pause as PauseKey) : reason;
}

function isPaused(hold: Hold): hold is `paused ${PauseKey}` {
  return hold.startsWith(PAUSED);
}
