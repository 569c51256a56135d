// A provider's gate, in memory: closed for everybody by wrong credentials or an account-wide 429, so that one fault of the channel
// does not burn everyone's attempts. When its time is over, one probe goes through; its answer opens the gate or closes it for longer.
// Calls that started while the gate was still open say nothing about it: only the probe opens it, and only the probe is a strike.
import type { CallOutcome } from '../domain/call-outcome.ts';
import type { GateView } from '../domain/rule-facts.ts';
import type { Clock } from '../runtime/clock.ts';

export type GateState = 'open' | 'closed' | 'half-open';

/** One call's way through the gate; ends with one of the two, the first counts. */
export interface GatePass {
  /** The claim came to nothing: a probe's place is free again. */
  leave(): void;
  record(outcome: CallOutcome): void;
}

export interface ProviderGates {
  /** `fraction` in [0, 1) spreads the waits of those who are sent away. */
  view(providerKey: string, fraction: number): GateView;
  /** Right before a claim, in the same turn as the plan that saw the gate open: takes the probe's place where one is due. */
  enter(providerKey: string): GatePass;
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
  /** Who is the probe while the gate is half open. */
  probe: GatePass | null;
}

type Turn = (gate: Gate, state: GateState, untilMs: number, probe: GatePass | null) => void;

export function providerGates(
  clock: Clock,
  onChange: (providerKey: string, state: GateState) => void,
): ProviderGates {
  const gates = new Map<string, Gate>();
  const gateOf = (providerKey: string): Gate => {
    const known = gates.get(providerKey);
    if (known !== undefined) return known;
    const fresh: Gate = { state: 'open', untilMs: 0, strikes: 0, probe: null };
    gates.set(providerKey, fresh);
    return fresh;
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
    enter: (providerKey) =>
      pass(clock, gateOf(providerKey), (gate, state, untilMs, probe) => {
        const isNews = gate.state !== state;
        Object.assign(gate, { state, untilMs, probe });
        if (isNews) onChange(providerKey, state);
      }),
    state: (providerKey) => gateOf(providerKey).state,
  };
}

function pass(clock: Clock, gate: Gate, turn: Turn): GatePass {
  let isOver = false;
  const isProbe = () => gate.probe === own;
  const close = (forMs: number | null) => {
    const isStrike = gate.state === 'open' || isProbe();
    // Of calls that were in flight when the gate closed, only a time that the provider names counts.
    if (!isStrike && forMs === null) return;
    const growingMs = Math.min(MAX_CLOSED_MS, FIRST_CLOSED_MS * 2 ** gate.strikes);
    const untilMs = clock.nowMs() + Math.max(forMs ?? growingMs, 1);
    if (isStrike) gate.strikes += 1;
    turn(gate, 'closed', gate.state === 'closed' ? Math.max(untilMs, gate.untilMs) : untilMs, null);
  };
  const own: GatePass = {
    leave() {
      if (!isOver && isProbe()) turn(gate, 'closed', clock.nowMs(), null);
      isOver = true;
    },
    record(outcome) {
      if (isOver) return;
      isOver = true;
      if (outcome.kind === 'misconfigured') return close(null);
      if (outcome.kind === 'rate-limited' && outcome.scope === 'provider') return close(outcome.retryAfterMs);
      if (!isProbe()) return;
      gate.strikes = 0;
      turn(gate, 'open', 0, null);
    },
  };
  if (gate.state !== 'open') turn(gate, 'half-open', clock.nowMs() + PROBE_LIMIT_MS, own);
  return own;
}
