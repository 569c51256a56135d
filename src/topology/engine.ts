// What every step of a record's walk is handed: the ports, the settings, and what this process knows at the moment.
// A plain object; nothing in it decides anything.
import type { LogProducer } from '../broker/log.ts';
import type { BreakerSettings } from '../domain/breaker.ts';
import type { ProviderFacts } from '../domain/call-outcome.ts';
import type { Channel, ChannelConfig } from '../domain/channel.ts';
import type { NotificationState } from '../domain/notification.ts';
import { coveringPause, type Pause, type PauseKey } from '../domain/pause.ts';
import type { Content } from '../domain/request.ts';
import type { RuleFacts } from '../domain/rule-facts.ts';
import { longestRecordWaitMs } from '../domain/tiers.ts';
import type { Provider } from '../providers/provider.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Ids } from '../runtime/ids.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Timers } from '../runtime/timers.ts';
import type { NotificationFeed } from '../state/notification-feed.ts';
import type { NotificationStore } from '../state/store.ts';
import type { Codec } from '../streams/codec.ts';
import type { Topics } from '../streams/topics.ts';
import type { HeldClaims } from './claim-fence.ts';
import type { OperatorGates } from './operator-gates.ts';
import type { Outages } from './outages.ts';
import type { Permits } from './permits.ts';
import type { ProviderGates } from './provider-gate.ts';
import type { PublishedMemory } from './published-memory.ts';
import type { RetentionSettings } from './retention-settings.ts';
import type { SchemaWatch } from './schema-watch.ts';
import type { StoreClock } from './store-clock.ts';

export interface EngineSettings {
  /** A claim's lease; ≥ flush + longest deadline + 10 s. */
  readonly leaseMs: number;
  /** How soon the sweeper looks after an outcome that nobody published. */
  readonly publishWithinMs: number;
  readonly sweepPeriodMs: number;
  /** When so many calls fail that a provider's gate closes. */
  readonly breaker: BreakerSettings;
  /** How often what is old is looked for. */
  readonly purgePeriodMs: number;
  readonly retention: RetentionSettings;
  /** What operators set is read again this often. */
  readonly channelPollMs: number;
  readonly commitPeriodMs: number;
  /** Records taken and not finished, over all tasks, besides as many as there may be provider calls. */
  readonly maxInFlight: number;
  /** Nearly due wake-ups in memory, over all tasks. */
  readonly maxHeapEntries: number;
  /** Records that a source partition holds before it pauses. */
  readonly maxBufferedRecords: number;
  /** Graceful stop: sends in flight get this long. ≥ the longest deadline. */
  readonly stopLimitMs: number;
  readonly partitions: number;
  /** A life that has lasted this long after a death is a calm one again; 0: deaths are not counted. */
  readonly cautionMs: number;
}

export interface EnginePorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly store: NotificationStore;
  /** Told of every committed change, best effort. */
  readonly feed: NotificationFeed;
  readonly codec: Codec;
  readonly topics: Topics;
  readonly providers: ReadonlyMap<string, Provider>;
  /** HMAC of a recipient. */
  readonly hashRecipient: (recipient: string) => string;
}

export interface Engine extends EnginePorts {
  readonly settings: EngineSettings;
  readonly producer: LogProducer;
  readonly storeClock: StoreClock;
  readonly channels: ReadonlyMap<Channel, ChannelConfig>;
  /** What operators paused. */
  readonly pauses: ReadonlyMap<PauseKey, Pause>;
  readonly providerFacts: ReadonlyMap<string, ProviderFacts>;
  readonly permits: ReadonlyMap<string, Permits>;
  /** What this process found out about its providers, and what operators said, which comes first. */
  readonly gates: ProviderGates;
  readonly operatorGates: OperatorGates;
  readonly outages: Outages;
  readonly claims: HeldClaims;
  readonly published: PublishedMemory;
  readonly schemas: SchemaWatch;
  /** Aborts when the processor stops: waits end, nothing new is claimed. */
  readonly stopping: AbortSignal;
}

/** The facts for one decision about one notification, now. `content` null: there is none, or it was purged. */
export function factsFor(
  engine: Engine,
  { channel, tenantId }: Pick<NotificationState, 'channel' | 'tenantId'>,
  content: Content | null,
): RuleFacts {
  const templateKey = content?.request.template?.key ?? null;
  const fraction = engine.ids.fraction();
  return {
    nowMs: engine.storeClock.nowMs(),
    config: engine.channels.get(channel) ?? null,
    pause: coveringPause({ channel, tenantId, templateKey }, engine.pauses),
    providers: engine.providerFacts,
    gateOf: (providerKey) =>
      engine.operatorGates.view(providerKey, fraction) ?? engine.gates.view(providerKey, fraction),
    fraction,
    claimToken: engine.ids.uuid(),
    leaseMs: engine.settings.leaseMs,
    publishWithinMs: engine.settings.publishWithinMs,
    longestRecordWaitMs: longestRecordWaitMs(engine.topics.tiers),
  };
}
