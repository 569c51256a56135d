// Puts together what a record's walk is handed: the ports, and what this process keeps in memory about providers and claims.
import type { LogProducer } from '../broker/log.ts';
import type { ProviderFacts } from '../domain/call-outcome.ts';
import { heldClaims } from './claim-fence.ts';
import type { ControlWatch } from './control-watch.ts';
import type { Engine, EnginePorts, EngineSettings } from './engine.ts';
import { GATE_STATES, gateStateOf, type SeenGateState } from './gate-state.ts';
import { type OperatorGateDeps, operatorGates } from './operator-gates.ts';
import { outages, type StopSignals } from './outages.ts';
import { type PermitSettings, type Permits, permits } from './permits.ts';
import { providerGates } from './provider-gate.ts';
import { publishedMemory } from './published-memory.ts';
import { schemaWatch } from './schema-watch.ts';
import { type StoreClock, storeClock } from './store-clock.ts';

export function openEngine(
  ports: EnginePorts,
  settings: EngineSettings,
  producer: LogProducer,
  controls: Pick<ControlWatch, 'channels' | 'pauses' | 'gates'>,
  signals: StopSignals,
): Engine {
  const { clock, timers, logger, providers } = ports;
  const openPermits = new Map<string, Permits>();
  for (const [providerKey, { facts }] of providers)
    openPermits.set(providerKey, permits({ clock, timers }, permitSettings(facts)));
  const away = outages({ clock, timers, logger }, signals);
  const ofStore = storeClock(clock);
  const parts: GateParts = { said: controls.gates, storeClock: ofStore, permits: openPermits };
  const both = bothGates(ports, settings, parts);
  // It begins with a name, not with the spread, so that all engines of a simulation have one hidden class (V8 of Node 20).
  return {
    gates: both.gates,
    operatorGates: both.operatorGates,
    settings,
    producer,
    storeClock: ofStore,
    channels: controls.channels,
    pauses: controls.pauses,
    providerFacts: new Map([...providers].map(([providerKey, { facts }]) => [providerKey, facts])),
    permits: openPermits,
    outages: away,
    claims: heldClaims(),
    published: publishedMemory(),
    schemas: schemaWatch(clock, away),
    stopping: signals.stopping,
    ...ports,
  };
}

/** Where nothing tells whether a lost call arrived, each claim that dies with its process is a doubt that stays. */
function permitSettings(facts: ProviderFacts): PermitSettings {
  return { claimsAhead: facts.capability !== 'none', ...facts };
}

interface GateParts {
  readonly said: OperatorGateDeps['said'];
  readonly storeClock: StoreClock;
  readonly permits: ReadonlyMap<string, Permits>;
}

/** Whoever closed it: when a provider's gate is open again, its permits start slowly. */
function bothGates(
  { clock, logger, metrics }: EnginePorts,
  { breaker }: EngineSettings,
  { said, storeClock, permits }: GateParts,
): Pick<Engine, 'gates' | 'operatorGates'> {
  const show = (provider: string, state: SeenGateState) => {
    for (const each of GATE_STATES)
      metrics.set('pin_provider_gate', { provider, state: each }, each === state ? 1 : 0);
  };
  const turned = (provider: string) => {
    const state = gateStateOf(both, provider);
    if (state === 'open') permits.get(provider)?.slowStart();
    logger.warn('provider.gate', { provider, state });
    show(provider, state);
  };
  for (const provider of permits.keys()) show(provider, 'open');
  const gates = providerGates({ clock, breaker, onChange: turned });
  const both: Pick<Engine, 'gates' | 'operatorGates'> = {
    gates,
    operatorGates: operatorGates({ storeClock, said, onChange: turned, onOpened: gates.open }),
  };
  return both;
}
