// A provider's gate, in memory: closed for everybody by wrong credentials, an account-wide 429 or too many failures, so that one fault of
// the provider does not burn everyone's attempts. When its time is over, one probe goes through; its answer opens the gate or closes it for
// longer. Calls that started while the gate was still open say nothing about it: only the probe opens it, and only the probe is a strike.
import {
  type BreakerSettings,
  type CallWindow,
  countCall,
  isFailing,
  isProviderFailure,
  NO_CALLS,
} from '../domain/breaker.ts';
import type { CallOutcome } from '../domain/call-outcome.ts';
import type { GateCause, GateView } from '../domain/rule-facts.ts';
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
  /** Opens it whatever the answers said, and forgets them: a person knows better. */
  open(providerKey: string): void;
  state(providerKey: string): GateState;
  /** Why it is not open, and how much longer; null: it is open. */
  closing(providerKey: string): { readonly why: GateCause; readonly leftMs: number } | null;
}

/** What closes a gate by itself. */
type Trouble = Extract<GateCause, 'failing' | 'rate-limited' | 'misconfigured'>;

/** How long it stays closed at first and at last, where the provider names no time: twice as long after each probe that met the fault. */
const CLOSED_MS: Readonly<Record<Trouble, { readonly first: number; readonly most: number }>> = {
  // A failing provider may be back any moment. Work must go on within 30 s after it is, also when a probe is just hanging until its deadline.
  failing: { first: 5_000, most: 10_000 },
  'rate-limited': { first: 30_000, most: 900_000 },
  misconfigured: { first: 30_000, most: 900_000 },
};
/** Waits at a closed gate are spread over this share of its time, at least `MIN_SPREAD_MS`. */
const SPREAD = 0.25;
const MIN_SPREAD_MS = 1_000;
/** A probe that never answers frees its place after this. */
const PROBE_LIMIT_MS = 60_000;
/** Others look again this long after a probe started, at the earliest. */
const PROBE_PATIENCE_MS = 5_000;

interface Gate {
  state: GateState;
  why: Trouble;
  untilMs: number;
  strikes: number;
  /** Who is the probe while the gate is half open. */
  probe: GatePass | null;
  /** The calls that entered while the gate was open this time. */
  calls: CallWindow;
  /** How often it opened. */
  openings: number;
}

export interface ProviderGateDeps {
  readonly clock: Clock;
  readonly breaker: BreakerSettings;
  readonly onChange: (providerKey: string, state: GateState) => void;
}

export function providerGates(deps: ProviderGateDeps): ProviderGates {
  const { clock } = deps;
  const gates = new Map<string, Gate>();
  const gateOf = (providerKey: string): Gate => {
    const known = gates.get(providerKey);
    if (known !== undefined) return known;
    const fresh: Gate = { why: 'failing', openings: 0, ...OPEN };
    gates.set(providerKey, fresh);
    return fresh;
  };
  const turn = (providerKey: string, next: Partial<Gate> & Pick<Gate, 'state'>) => {
    const gate = gateOf(providerKey);
    const isNews = gate.state !== next.state;
    Object.assign(gate, next);
    if (isNews) deps.onChange(providerKey, next.state);
  };
  const opening = (providerKey: string) =>
    turn(providerKey, { openings: gateOf(providerKey).openings + 1, ...OPEN });
  return {
    view: (providerKey, fraction) => viewOf(gateOf(providerKey), clock.nowMs(), fraction),
    enter: (providerKey) =>
      pass(deps, gateOf(providerKey), (next) =>
        next === 'open' ? opening(providerKey) : turn(providerKey, next),
      ),
    open: opening,
    state: (providerKey) => gateOf(providerKey).state,
    closing(providerKey) {
      const { state, why, untilMs } = gateOf(providerKey);
      return state === 'open' ? null : { why, leftMs: Math.max(0, untilMs - clock.nowMs()) };
    },
  };
}

const OPEN = { state: 'open', untilMs: 0, strikes: 0, probe: null, calls: NO_CALLS } as const;

function viewOf(gate: Gate, nowMs: number, fraction: number): GateView {
  const { state, why } = gate;
  const leftMs = gate.untilMs - nowMs;
  if (state === 'open' || leftMs <= 0) return { kind: 'open' };
  if (state === 'half-open') {
    const waitMs = Math.ceil(Math.min(leftMs, PROBE_PATIENCE_MS) * (1 + fraction));
    return { kind: 'closed', waitMs, why: 'probe' };
  }
  const spreadMs = Math.max(MIN_SPREAD_MS, leftMs * SPREAD) * fraction;
  return { kind: 'closed', waitMs: Math.ceil(leftMs + spreadMs), why };
}

type Turn = (next: (Partial<Gate> & Pick<Gate, 'state'>) | 'open') => void;

function pass({ clock, breaker }: ProviderGateDeps, gate: Gate, turn: Turn): GatePass {
  const { openings } = gate;
  let isOver = false;
  const isProbe = () => gate.probe === own;
  const close = (why: Trouble, forMs: number | null) => {
    const isStrike = gate.state === 'open' || isProbe();
    // Of calls that were in flight when the gate closed, only a time that the provider names counts.
    if (!isStrike && forMs === null) return;
    const { first, most } = CLOSED_MS[why];
    const growingMs = Math.min(most, first * 2 ** gate.strikes);
    const untilMs = clock.nowMs() + Math.max(forMs ?? growingMs, 1);
    turn({
      ...{ state: 'closed', why, probe: null, calls: NO_CALLS },
      untilMs: gate.state === 'closed' ? Math.max(untilMs, gate.untilMs) : untilMs,
      strikes: isStrike ? gate.strikes + 1 : gate.strikes,
    });
  };
  const ofProbe = (outcome: CallOutcome) => {
    // What the gate was closed for is what the probe must not meet.
    if (gate.why === 'failing' && isProviderFailure(outcome)) close('failing', null);
    else turn('open');
  };
  const count = (outcome: CallOutcome) => {
    if (gate.state !== 'open' || gate.openings !== openings) return;
    gate.calls = countCall(gate.calls, isProviderFailure(outcome), clock.monotonicMs(), breaker);
    if (isFailing(gate.calls, breaker)) close('failing', null);
  };
  const own: GatePass = {
    leave() {
      if (!isOver && isProbe()) turn({ state: 'closed', untilMs: clock.nowMs(), probe: null });
      isOver = true;
    },
    record(outcome) {
      if (isOver) return;
      isOver = true;
      if (outcome.kind === 'misconfigured') return close('misconfigured', null);
      if (outcome.kind === 'rate-limited' && outcome.scope === 'provider')
        return close('rate-limited', outcome.retryAfterMs);
      return isProbe() ? ofProbe(outcome) : count(outcome);
    },
  };
  if (gate.state !== 'open')
    turn({ state: 'half-open', untilMs: clock.nowMs() + PROBE_LIMIT_MS, probe: own });
  return own;
}
