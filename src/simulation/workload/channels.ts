// What operators do: the channels' configuration at the start, changes of it while notifications are on their way, and its repair.
import type { ProviderFacts } from '../../domain/call-outcome.ts';
import { type Channel, type ChannelConfig, defaultChannelConfig } from '../../domain/channel.ts';
import { configure, type Stage } from '../stage.ts';
import type { Tape } from '../tape.ts';

export const SIMULATED_CHANNELS = ['email', 'sms', 'push'] as const satisfies readonly Channel[];

const DEADLINE_MS = 2_000;
const CAPABILITIES = ['key', 'lookup', 'none', 'replace'] as const;
const WINDOWS_MS = [null, 40_000, 15_000];
const VISIBILITY_MS = [0, 3_000];
const MAX_ATTEMPTS = [3, 1, 2, 5];
const ON_UNKNOWN = ['hold', 'assume-sent', 'resend'] as const;
const HOLDS_MS = [12_000, 3_000, 40_000];
const BACKOFFS = [
  { kind: 'exponential', baseMs: 1_000, capMs: 8_000, jitter: 0.1 },
  { kind: 'fixed', baseMs: 4_000, capMs: 4_000, jitter: 0 },
] as const;
const RATES = [null, 2];
const CONCURRENCIES = [4, 1, 2];

/** `alpha` and `beta` serve the channels, `gamma` may take over, `stub` is one. */
export function drawVendors(tape: Tape): readonly ProviderFacts[] {
  const real = ['alpha', 'beta', 'gamma'].map((providerKey): ProviderFacts => {
    const capability = CAPABILITIES[tape.pick(CAPABILITIES.length)] ?? 'key';
    return {
      providerKey,
      capability,
      windowMs: WINDOWS_MS[tape.pick(WINDOWS_MS.length)] ?? null,
      visibilityDelayMs: VISIBILITY_MS[tape.pick(VISIBILITY_MS.length)] ?? 0,
      deadlineMs: DEADLINE_MS,
      maxConcurrency: CONCURRENCIES[tape.pick(CONCURRENCIES.length)] ?? 4,
      ratePerSecond: RATES[tape.pick(RATES.length)] ?? null,
      isStub: false,
      echoesReference: tape.pick(2) === 1,
    };
  });
  const [first] = real;
  return first === undefined ? real : [...real, { ...first, providerKey: 'stub', isStub: true }];
}

export const PROVIDER_OF: Readonly<Record<(typeof SIMULATED_CHANNELS)[number], string>> = {
  email: 'alpha',
  sms: 'beta',
  push: 'gamma',
};

export function configureChannels(stage: Stage): void {
  const { tape } = stage.world;
  for (const channel of SIMULATED_CHANNELS)
    configure(stage, {
      ...defaultChannelConfig(channel, PROVIDER_OF[channel]),
      maxAttempts: MAX_ATTEMPTS[tape.pick(MAX_ATTEMPTS.length)] ?? 3,
      onUnknown: ON_UNKNOWN[tape.pick(ON_UNKNOWN.length)] ?? 'hold',
      holdUntilMs: HOLDS_MS[tape.pick(HOLDS_MS.length)] ?? 12_000,
      backoff: BACKOFFS[tape.pick(BACKOFFS.length)] ?? BACKOFFS[0],
    });
}

const CHANGES: readonly ((config: ChannelConfig) => Partial<ChannelConfig>)[] = [
  () => ({ isEnabled: false }),
  () => ({ isEnabled: true }),
  () => ({ maxAttempts: 1 }),
  ({ maxAttempts }) => ({ maxAttempts: maxAttempts + 2 }),
  () => ({ providerKey: 'gamma' }),
  () => ({ providerKey: 'alpha' }),
  () => ({ providerKey: null }),
  () => ({ providerKey: 'stub' }),
  () => ({ onUnknown: 'hold' }),
  () => ({ onUnknown: 'assume-sent' }),
  () => ({ onUnknown: 'resend' }),
];

/** One change of one channel, now. */
export function changeChannel(stage: Stage): void {
  const { tape, tell, reach } = stage.world;
  const channel = SIMULATED_CHANNELS[tape.pick(SIMULATED_CHANNELS.length)] ?? 'email';
  const change = CHANGES[tape.pick(CHANGES.length)];
  const config = stage.database.channels.get(channel);
  if (config === undefined || change === undefined) return;
  const part = change(config);
  tell('operator', () => `changes ${channel}: ${JSON.stringify(part)}`);
  reach.count(`config ${Object.keys(part).join()} @ ${channel}`);
  configure(stage, { ...config, ...part });
}

/** The causes of every hold end. */
export function repairChannels(stage: Stage): void {
  for (const channel of SIMULATED_CHANNELS) {
    const config = stage.database.channels.get(channel);
    if (config === undefined) continue;
    const isBroken = !config.isEnabled || config.providerKey === null || config.providerKey === 'stub';
    if (isBroken) configure(stage, { ...config, isEnabled: true, providerKey: PROVIDER_OF[channel] });
  }
}
