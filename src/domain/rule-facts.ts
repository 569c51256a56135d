// What the rules may look at besides the row: read once per decision, passed in, never fetched.
import type { ProviderFacts } from './call-outcome.ts';
import { type Channel, type ChannelConfig, defaultChannelConfig } from './channel.ts';
import type { PauseKey } from './pause.ts';

export type GateView =
  | { readonly kind: 'open' }
  /** Nobody may call before `waitMs` passed; the wait is already spread. */
  | { readonly kind: 'closed'; readonly waitMs: number; readonly why: GateCause };

/** Who closed it: a person, or the answers of the provider (too many failures, an account-wide limit, wrong credentials); or one call is tried. */
export type GateCause = 'operator' | 'failing' | 'rate-limited' | 'misconfigured' | 'probe';

export interface RuleFacts {
  /** The store's clock. */
  readonly nowMs: number;
  /** null: the channel has no configuration. */
  readonly config: ChannelConfig | null;
  /** The operator's pause that holds this notification; null: none does. */
  readonly pause: PauseKey | null;
  readonly providers: ReadonlyMap<string, ProviderFacts>;
  readonly gateOf: (providerKey: string) => GateView;
  /** Draw for jitter, in [0, 1). */
  readonly fraction: number;
  /** uuid for a claim, should the rule make one. */
  readonly claimToken: string;
  /** lease ≥ flush + deadline + 10 s. */
  readonly leaseMs: number;
  /** How soon the sweeper looks after an outcome that was not published. */
  readonly publishWithinMs: number;
  /** Longer waits rest in the table. */
  readonly longestRecordWaitMs: number;
}

export const MAX_TAKEOVERS = 3;

/** The policy in force for a call that was already made, also when the channel lost its configuration meanwhile. */
export function policyOf(channel: Channel, facts: RuleFacts): ChannelConfig {
  return facts.config ?? defaultChannelConfig(channel, null);
}
