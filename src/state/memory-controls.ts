// What operators say, in the in-memory store.
import type { MemoryDatabase } from './memory-database.ts';
import type { StepRunner } from './memory-faults.ts';
import { type NotificationStore, SEEN_GATE_LIFE_MS } from './store.ts';

type Controls = Pick<
  NotificationStore,
  'controls' | 'pauses' | 'savePause' | 'endPause' | 'gates' | 'saveGate' | 'sayGates' | 'seenGates'
>;

export function memoryControls(database: MemoryDatabase, step: StepRunner): Controls {
  const { clock, channels, pauses, gates, seenGates } = database;
  const sorted = <T>(table: ReadonlyMap<string, T>) =>
    [...table].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  return {
    controls: () =>
      step('other', [], () => ({
        channels: [...channels.values()],
        pauses: sorted(pauses),
        gates: sorted(gates),
      })),
    pauses: () => step('other', [], () => sorted(pauses)),
    savePause: (pause) =>
      step('other', [], () => {
        const sinceMs = pauses.get(pause.key)?.sinceMs ?? Math.floor(clock.nowMs());
        pauses.set(pause.key, { ...pause, sinceMs });
      }),
    endPause: (key) => step('other', [], () => pauses.delete(key)),
    gates: () => step('other', [], () => sorted(gates)),
    saveGate: ({ forMs, ...gate }) =>
      step('other', [], () => {
        const changedAtMs = Math.floor(clock.nowMs());
        const change = (gates.get(gate.providerKey)?.change ?? 0) + 1;
        const untilMs = forMs === null ? null : changedAtMs + forMs;
        gates.set(gate.providerKey, { ...gate, untilMs, changedAtMs, change });
      }),
    sayGates: (processId, said) =>
      step('other', [], () => {
        const seenAtMs = Math.floor(clock.nowMs());
        for (const gate of said)
          seenGates.set(`${gate.providerKey} ${processId}`, { ...gate, processId, seenAtMs });
      }),
    seenGates: () =>
      step('other', [], () =>
        sorted(seenGates).filter(({ seenAtMs }) => seenAtMs > clock.nowMs() - SEEN_GATE_LIFE_MS),
      ),
  };
}
