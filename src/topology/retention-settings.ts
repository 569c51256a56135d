// How long things are kept, ms. What is kept beside the rows must outlive every topic: it tells a repeat from a new input.
import type { Expiring } from '../state/retention.ts';

export interface RetentionSettings {
  /** A final row, whole, since the last thing happened to it. */
  readonly finalMs: number;
  /** A copy that nobody read, since it arrived. */
  readonly unreadMs: number;
  /** A webhook that names nothing known. */
  readonly parkedMs: number;
  readonly keptMs: Readonly<Record<Expiring, number>>;
}

const DAY_MS = 86_400_000;

/** The defaults of the settings, for processors without any. */
export const DEFAULT_RETENTION: RetentionSettings = {
  finalMs: 30 * DAY_MS,
  unreadMs: 90 * DAY_MS,
  parkedMs: 7 * DAY_MS,
  keptMs: {
    tombstones: 90 * DAY_MS,
    'message-refs': 90 * DAY_MS,
    'refused-commands': 90 * DAY_MS,
    quarantine: 90 * DAY_MS,
  },
};
