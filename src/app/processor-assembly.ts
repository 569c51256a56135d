// Settings and servers become one running processor. The demo, `pin run` and the acceptance tests all come through here.
import type { Log } from '../broker/log.ts';
import { openProviders } from '../providers/open-providers.ts';
import type { Provider } from '../providers/provider.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { NotificationFeed } from '../state/notification-feed.ts';
import type { NotificationStore } from '../state/store.ts';
import { openCodec } from '../streams/codec.ts';
import { recipientHasher } from '../streams/recipient-hash.ts';
import type { SchemaRegistry } from '../streams/registry.ts';
import { notificationTopology } from '../topology/graph.ts';
import { type Processor, type ProcessorSettings, startProcessor } from '../topology/processor.ts';
import type { Config } from './config/config.ts';
import { feedOfConfig, topicsOfConfig } from './connections.ts';
import type { Environment } from './environment.ts';
import { startSayingGates } from './gate-says.ts';
import { loadDeliveries } from './load-deliveries.ts';

/** What a processor needs of the outside, opened. */
export interface ProcessorServers {
  readonly log: Log;
  readonly registry: SchemaRegistry;
  readonly store: NotificationStore;
}

export interface RunningProcessor {
  readonly processor: Processor;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly feed: NotificationFeed;
  /** Stops the processor, then closes the providers and the feed; the servers belong to the caller. */
  stop(): Promise<void>;
}

const PUBLISH_WITHIN_MS = 60_000;
const CHANNEL_POLL_MS = 2_000;
const COMMIT_PERIOD_MS = 1_000;
const MAX_HEAP_ENTRIES = 20_000;
const MAX_BUFFERED_RECORDS = 500;
const SESSION_TIMEOUT_MS = 10_000;
/** Also how late a member may learn of a rebalance: part of the silence after a kill. */
const HEARTBEAT_INTERVAL_MS = 1_000;
/** How long a fetch may wait at the broker; a resumed partition is noticed within it. */
const MAX_FETCH_WAIT_MS = 100;
const MAX_BYTES_PER_PARTITION = 1_048_576;
/** A record that kills its process is met again much sooner. */
const CAUTION_MS = 120_000;
/** Outside production a fixed key is good enough: nobody's hashes have to survive. */
const DEVELOPMENT_KEY = 'pin development key, not for production';

/** @throws Fault when a server is away, a schema is not registered, or a setting is unsafe */
export async function assembleProcessor(
  environment: Environment,
  config: Config,
  servers: ProcessorServers,
  watched: { readonly logger: Logger; readonly metrics: Metrics },
): Promise<RunningProcessor> {
  const { clock, timers, ids } = environment;
  const topics = topicsOfConfig(config);
  const codec = await openCodec({ registry: servers.registry, clock }, topics);
  const processId = config.profile.processId ?? `pin-${ids.uuid()}`;
  const feed = feedOfConfig(environment, config, watched);
  const deliveries = await loadDeliveries(config.providers, config.profile.consumer);
  const providers = openProviders({ clock, timers, logger: watched.logger }, config.providers, deliveries);
  const processor = await startProcessor(
    {
      ...watched,
      clock,
      timers,
      ids,
      log: servers.log,
      store: servers.store,
      feed,
      codec,
      topics,
      providers,
      hashRecipient: recipientHasher(Buffer.from(config.security.encryptionKey ?? DEVELOPMENT_KEY)),
    },
    notificationTopology(topics),
    processorSettings(config, processId),
  );
  const says = { timers, logger: watched.logger, store: servers.store, processor };
  const cancelSaying = startSayingGates(says, processId);
  return {
    processor,
    providers,
    feed,
    async stop() {
      cancelSaying();
      await processor.stop();
      await Promise.all([feed, ...providers.values()].map((part) => part.close()));
    },
  };
}

function processorSettings(config: Config, processId: string): ProcessorSettings {
  const { leaseMs, stopLimitMs, sweepPeriodMs, watchdogMs, concurrency } = config.processor;
  const { breakerWindowMs, breakerMinCalls, breakerFailureShare } = config.processor;
  return {
    processId,
    leaseMs,
    stopLimitMs,
    sweepPeriodMs,
    watchdogMs,
    breaker: {
      windowMs: breakerWindowMs,
      minCalls: breakerMinCalls,
      failureShare: breakerFailureShare,
    },
    purgePeriodMs: config.retention.periodMs,
    retention: retentionSettings(config),
    publishWithinMs: PUBLISH_WITHIN_MS,
    channelPollMs: CHANNEL_POLL_MS,
    commitPeriodMs: COMMIT_PERIOD_MS,
    maxInFlight: concurrency,
    maxHeapEntries: MAX_HEAP_ENTRIES,
    maxBufferedRecords: MAX_BUFFERED_RECORDS,
    partitions: config.topics.partitions,
    cautionMs: CAUTION_MS,
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    heartbeatIntervalMs: HEARTBEAT_INTERVAL_MS,
    maxWaitMs: MAX_FETCH_WAIT_MS,
    maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
  };
}

function retentionSettings({ retention }: Config): ProcessorSettings['retention'] {
  const { finalMs, unreadMs, parkedMs } = retention;
  return {
    finalMs,
    unreadMs,
    parkedMs,
    keptMs: {
      tombstones: retention.tombstonesMs,
      'message-refs': retention.messageRefsMs,
      'refused-commands': retention.refusedCommandsMs,
      quarantine: retention.quarantineMs,
    },
  };
}
