// A provider's gate, in memory: closed for everybody by wrong credentials or an account-wide 429, so that one fault of the channel
// does not burn everyone's attempts. When its time is over, one probe goes through; its answer opens the gate or closes it for longer.
import type { CallOutcome } from '../domain/call-outcome.ts';
import type { GateView } from '../domain/rule-facts.ts';
import type { Clock } from '../runtime/clock.ts';

export type GateState = 'open' | 'closed' | 'half-open';

export interface ProviderGates {
  /** `fraction` in [0, 1) spreads the waits of those who are sent away. */
  view(providerKey: string, fraction: number): GateView;
  /** Right before a claim, in the same turn as the plan that saw the gate open: takes the probe's place where one is due. */
  enter(providerKey: string): void;
  /** The claim came to nothing: a probe's place is free again. */
  leave(providerKey: string): void;
  record(providerKey: string, outcome: CallOutcome): void;
  state(providerKey: string): GateState;
}

const FIRST_CLOSED_MS = 30_000;
const MAX_CLOSED_MS = 900_000;
/** Waits at a closed gate are spread over this share of its time, at least `MIN_SPREAD_MS`. */
const SPREAD = 0.25;
const MIN_SPREAD_MS = 1_000;
/** A probe that never answers frees its place after this. */
const PROBE_LIMIT_MS = 60_000;
/** Others look again this long after a probe started, at the earliest. */
const PROBE_PATIENCE_MS = 5_000;

interface Gate {
  state: GateState;
  untilMs: number;
  strikes: number;
}

export function providerGates(
  clock: Clock,
  onChange: (providerKey: string, state: GateState) => void,
): ProviderGates {
  const gates = new Map<string, Gate>();
  const gateOf = (providerKey: string): Gate => {
    const known = gates.get(providerKey);
    if (known !== undefined) return known;
    const fresh: Gate = { state: 'open', untilMs: 0, strikes: 0 };
    gates.set(providerKey, fresh);
    return fresh;
  };
  const turn = (providerKey: string, gate: Gate, state: GateState, untilMs: number) => {
    const isNews = gate.state !== state;
    gate.state = state;
    gate.untilMs = untilMs;
    if (isNews) onChange(providerKey, state);
  };
  const close = (providerKey: string, gate: Gate, forMs: number | null) => {
    const growingMs = Math.min(MAX_CLOSED_MS, FIRST_CLOSED_MS * 2 ** gate.strikes);
    const untilMs = clock.nowMs() + Math.max(forMs ?? growingMs, 1);
    // Calls that were in flight when the gate closed are no further strikes.
    if (gate.state !== 'closed') gate.strikes += 1;
    else if (forMs === null) return;
    turn(providerKey, gate, 'closed', Math.max(untilMs, gate.state === 'closed' ? gate.untilMs : 0));
  };
  return {
    view(providerKey, fraction) {
      const gate = gateOf(providerKey);
      if (gate.state === 'open') return { kind: 'open' };
      const leftMs = gate.untilMs - clock.nowMs();
      if (leftMs <= 0) return { kind: 'open' };
      if (gate.state === 'half-open')
        return { kind: 'closed', waitMs: Math.ceil(Math.min(leftMs, PROBE_PATIENCE_MS) * (1 + fraction)) };
      const spreadMs = Math.max(MIN_SPREAD_MS, leftMs * SPREAD) * fraction;
      return { kind: 'closed', waitMs: Math.ceil(leftMs + spreadMs) };
    },
    enter(providerKey) {
      const gate = gateOf(providerKey);
      if (gate.state !== 'open') turn(providerKey, gate, 'half-open', clock.nowMs() + PROBE_LIMIT_MS);
    },
    leave(providerKey) {
      const gate = gateOf(providerKey);
      if (gate.state === 'half-open') turn(providerKey, gate, 'closed', clock.nowMs());
    },
    record(providerKey, outcome) {
      const gate = gateOf(providerKey);
      if (outcome.kind === 'misconfigured') return close(providerKey, gate, null);
      if (outcome.kind === 'rate-limited' && outcome.scope === 'provider')
        return close(providerKey, gate, outcome.retryAfterMs);
      if (gate.state === 'open') return;
      // A call that started before the gate closed says nothing about it; only the probe does.
      if (gate.state === 'closed') return;
      gate.strikes = 0;
      turn(providerKey, gate, 'open', 0);
    },
    state: (providerKey) => gateOf(providerKey).state,
  };
}
