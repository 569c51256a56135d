// Puts together what a record's walk is handed: the ports, and what this process keeps in memory about providers and claims.
import type { LogProducer } from '../broker/log.ts';
import { heldClaims } from './claim-fence.ts';
import type { Engine, EnginePorts, EngineSettings } from './engine.ts';
import { outages, type StopSignals } from './outages.ts';
import { type Permits, permits } from './permits.ts';
import { type GateState, providerGates } from './provider-gate.ts';
import { publishedMemory } from './published-memory.ts';
import { schemaWatch } from './schema-watch.ts';
import { storeClock } from './store-clock.ts';

const GATE_STATES: readonly GateState[] = ['open', 'closed', 'half-open'];

export function openEngine(
  ports: EnginePorts,
  settings: EngineSettings,
  producer: LogProducer,
  channels: Engine['channels'],
  signals: StopSignals,
): Engine {
  const { clock, timers, logger, metrics } = ports;
  const openPermits = new Map<string, Permits>();
  for (const [providerKey, { facts }] of ports.providers)
    openPermits.set(providerKey, permits({ clock, timers }, facts));
  const away = outages({ clock, timers, logger }, signals);
  return {
    ...ports,
    settings,
    producer,
    storeClock: storeClock(clock),
    channels,
    providerFacts: new Map([...ports.providers].map(([providerKey, { facts }]) => [providerKey, facts])),
    permits: openPermits,
    gates: providerGates(clock, (provider, state) => {
      if (state === 'open') openPermits.get(provider)?.slowStart();
      logger.warn('provider.gate', { provider, state });
      for (const each of GATE_STATES)
        metrics.set('pin_provider_gate', { provider, state: each }, each === state ? 1 : 0);
    }),
    outages: away,
    claims: heldClaims(),
    published: publishedMemory(),
    schemas: schemaWatch(clock, away),
    stopping: signals.stopping,
  };
}
