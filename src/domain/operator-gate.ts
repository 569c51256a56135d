// What an operator said about a provider's gate, for every process: closed until a time or until it is opened, or open, whatever each
// process has found out by itself. The last word counts.

export interface OperatorGate {
  readonly providerKey: string;
  readonly state: 'open' | 'closed';
  /** Closed until then, by the store's clock; null: until somebody opens it. */
  readonly untilMs: number | null;
  readonly reason: string;
  /** Who said it. */
  readonly by: string;
  readonly changedAtMs: number;
  /** Rises with every word about this provider. */
  readonly change: number;
}

/** Whoever is sent away first looks again after this. */
const FIRST_LOOK_MS = 10_000;
const LAST_LOOK_MS = 900_000;
const SPREAD = 0.25;
const MIN_SPREAD_MS = 1_000;

export function isClosedAt({ state, untilMs }: OperatorGate, nowMs: number): boolean {
  return state === 'closed' && (untilMs === null || untilMs > nowMs);
}

/**
 * How long a notification waits at a gate that an operator closed. Nobody knows when it opens, so each wait is as long as the gate has been
 * closed already, a quarter of an hour at most: few writes for a row that waits long, and no long wait behind a gate that opens soon.
 * `fraction` in [0, 1) spreads those who come at the same time.
 */
export function operatorGateWaitMs(gate: OperatorGate, nowMs: number, fraction: number): number {
  const closedForMs = nowMs - gate.changedAtMs;
  const lookMs = Math.min(LAST_LOOK_MS, Math.max(FIRST_LOOK_MS, closedForMs));
  const leftMs = gate.untilMs === null ? lookMs : Math.min(lookMs, Math.max(0, gate.untilMs - nowMs));
  return Math.ceil(leftMs + Math.max(MIN_SPREAD_MS, leftMs * SPREAD) * fraction);
}
