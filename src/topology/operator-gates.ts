// What operators said about gates, as this process follows it. A closing counts until the process has seen its end: so nobody slips through
// before the provider's permits start slowly.
import { isClosedAt, type OperatorGate, operatorGateWaitMs } from '../domain/operator-gate.ts';
import type { GateView } from '../domain/rule-facts.ts';
import type { StoreClock } from './store-clock.ts';

export interface OperatorGates {
  /** null: no operator keeps it closed. `fraction` as in ProviderGates. */
  view(providerKey: string, fraction: number): Extract<GateView, { kind: 'closed' }> | null;
  /** What closed it; null: no operator keeps it closed. */
  closing(providerKey: string): OperatorGate | null;
  /** Takes over what the table says now. */
  follow(): void;
}

export interface OperatorGateDeps {
  readonly storeClock: Pick<StoreClock, 'nowMs'>;
  /** As last read from the table, by provider. */
  readonly said: ReadonlyMap<string, OperatorGate>;
  /** Operators keep it closed from here on, or no longer. */
  readonly onChange: (providerKey: string, isClosed: boolean) => void;
  /** An operator opened it, whatever this process has found out. */
  readonly onOpened: (providerKey: string) => void;
}

export function operatorGates({ storeClock, said, onChange, onOpened }: OperatorGateDeps): OperatorGates {
  const closings = new Map<string, OperatorGate>();
  const heard = new Map<string, number>();
  const close = (gate: OperatorGate) => {
    const isNews = !closings.has(gate.providerKey);
    closings.set(gate.providerKey, gate);
    if (isNews) onChange(gate.providerKey, true);
  };
  return {
    view(providerKey, fraction) {
      const gate = closings.get(providerKey);
      if (gate === undefined) return null;
      return {
        kind: 'closed',
        waitMs: operatorGateWaitMs(gate, storeClock.nowMs(), fraction),
        why: 'operator',
      };
    },
    closing: (providerKey) => closings.get(providerKey) ?? null,
    follow() {
      const nowMs = storeClock.nowMs();
      for (const gate of said.values()) {
        const { providerKey, state, change } = gate;
        if (isClosedAt(gate, nowMs)) close(gate);
        else if (closings.delete(providerKey)) onChange(providerKey, false);
        if (state === 'open' && heard.get(providerKey) !== change) onOpened(providerKey);
        heard.set(providerKey, change);
      }
    },
  };
}
