// The state of a provider's gate as people see it: what an operator said comes before what the process found out.
import type { Engine } from './engine.ts';

export const GATE_STATES = ['open', 'closed', 'half-open', 'closed-by-operator'] as const;
export type SeenGateState = (typeof GATE_STATES)[number];

type Gates = Pick<Engine, 'gates' | 'operatorGates'>;

export function gateStateOf({ gates, operatorGates }: Gates, providerKey: string): SeenGateState {
  return operatorGates.closing(providerKey) === null ? gates.state(providerKey) : 'closed-by-operator';
}

export interface GateReport {
  readonly providerKey: string;
  readonly state: SeenGateState;
  /** By the store's clock; null: open, or until somebody opens it. */
  readonly untilMs: number | null;
  /** null: open. */
  readonly why: string | null;
}

/** Every provider's gate as this process sees it now. */
export function gateReports(
  engine: Gates & Pick<Engine, 'providerFacts' | 'storeClock'>,
): readonly GateReport[] {
  const nowMs = engine.storeClock.nowMs();
  return [...engine.providerFacts.keys()].map((providerKey) => {
    const state = gateStateOf(engine, providerKey);
    const said = engine.operatorGates.closing(providerKey);
    if (said !== null) return { providerKey, state, untilMs: said.untilMs, why: 'operator' };
    const closing = engine.gates.closing(providerKey);
    const untilMs = closing === null ? null : Math.ceil(nowMs + closing.leftMs);
    return { providerKey, state, untilMs, why: closing?.why ?? null };
  });
}
