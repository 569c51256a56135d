// When a provider fails for everybody: the share of failures among its last calls. Calling on would only burn attempts, so its gate closes.
// A failure is an answer that says nothing about the notification: a passing fault, or no answer. A refusal is an answer of a provider
// that works. Pure: the window is a value, in slices, so that old calls are forgotten a few at a time.
import type { CallOutcome } from './call-outcome.ts';

export interface BreakerSettings {
  /** Calls older than this are forgotten. */
  readonly windowMs: number;
  /** Fewer calls in the window say nothing. */
  readonly minCalls: number;
  /** From this share of failures on, 0 to 1, the provider counts as failing. */
  readonly failureShare: number;
}

interface Slice {
  readonly startMs: number;
  readonly calls: number;
  readonly failures: number;
}

/** The last calls, oldest first. */
export type CallWindow = readonly Slice[];

export const NO_CALLS: CallWindow = [];

const SLICES = 10;

/** A code that nobody mapped comes from a provider that answers: it is no failure of the provider. */
export function isProviderFailure(outcome: CallOutcome): boolean {
  return outcome.kind === 'unknown' || (outcome.kind === 'transient' && outcome.isUnclassified !== true);
}

/** `nowMs` by any clock that does not go back. */
export function countCall(
  window: CallWindow,
  isFailure: boolean,
  nowMs: number,
  { windowMs }: BreakerSettings,
): CallWindow {
  const kept = window.filter(({ startMs }) => startMs > nowMs - windowMs);
  const newest = kept.at(-1);
  const failures = isFailure ? 1 : 0;
  if (newest === undefined || nowMs - newest.startMs >= windowMs / SLICES)
    return [...kept, { startMs: nowMs, calls: 1, failures }];
  const { startMs } = newest;
  return [...kept.slice(0, -1), { startMs, calls: newest.calls + 1, failures: newest.failures + failures }];
}

export function isFailing(window: CallWindow, { minCalls, failureShare }: BreakerSettings): boolean {
  const calls = window.reduce((sum, slice) => sum + slice.calls, 0);
  const failures = window.reduce((sum, slice) => sum + slice.failures, 0);
  return calls >= minCalls && failures >= calls * failureShare;
}
