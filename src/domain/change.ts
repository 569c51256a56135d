// What a rule wants committed: the next state, with waits instead of times. The store turns waits into times by Postgres' clock.
import type { NotificationState } from './notification.ts';

export type Wake =
  /** `wake_at` and `wake_seq` stay as they are. */
  | { readonly kind: 'keep' }
  /** Nothing is due any more. */
  | { readonly kind: 'none' }
  /** Due `waitMs` after the commit's reading of the clock, rounded up. */
  | { readonly kind: 'after'; readonly waitMs: number; readonly inLog: boolean }
  /** Due at a time that the row or its request already names. */
  | { readonly kind: 'at'; readonly atMs: number; readonly inLog: boolean };

export interface Change {
  readonly next: NotificationState;
  readonly wake: Wake;
  /** True when `wake` is also the time of the next attempt. */
  readonly isNextAttempt: boolean;
  /** One code for the row's trail: `rule key=value …`, at most 120 characters of printable ASCII. */
  readonly trail: string;
}
