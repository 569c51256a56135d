// When to look at a table, and how much of it. Pure. The newest rows are looked at often, with pauses that grow while nothing is found. All
// open rows are looked at now and then, since a transaction that began early may commit late: the order of times, like that of numbers, is
// not the order of commits. A look over everything takes at most a twentieth of the time, however many rows wait for their outcome.

export interface LookState {
  readonly pauseMs: number;
  /** Monotonic ms. */
  readonly nextAtMs: number;
  readonly fullAtMs: number;
}

export interface LookRules {
  readonly minPauseMs: number;
  readonly maxPauseMs: number;
  readonly minFullEveryMs: number;
  /** Rows have an order in which most of them come; without it every look is over everything. */
  readonly isOrdered: boolean;
}

export interface FinishedLook {
  readonly isFull: boolean;
  readonly found: number;
  readonly startedMs: number;
  readonly endedMs: number;
}

const FULL_SHARE = 20;
const UNORDERED_SHARE = 4;

export function firstLook(nowMs: number, rules: LookRules): LookState {
  return { pauseMs: rules.minPauseMs, nextAtMs: nowMs, fullAtMs: nowMs };
}

export function afterLook(before: LookState, look: FinishedLook, rules: LookRules): LookState {
  const tookMs = look.endedMs - look.startedMs;
  const quiet = Math.min(rules.maxPauseMs, before.pauseMs * 2);
  const pauseMs = look.found > 0 ? rules.minPauseMs : quiet;
  const restMs = rules.isOrdered ? pauseMs : Math.max(pauseMs, tookMs * UNORDERED_SHARE);
  return {
    pauseMs,
    nextAtMs: look.endedMs + restMs,
    fullAtMs: look.isFull
      ? look.endedMs + Math.max(rules.minFullEveryMs, tookMs * FULL_SHARE)
      : before.fullAtMs,
  };
}

export function isFullLook(state: LookState, nowMs: number, rules: LookRules): boolean {
  return !rules.isOrdered || nowMs >= state.fullAtMs;
}
