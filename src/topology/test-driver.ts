// Runs the same topology without servers: log, store, registry and providers in memory, on a clock that moves only when told.
// For our own tests and for everybody who wants to assert "after two failures and 90 s this was sent once".
import type { LogRecord } from '../broker/log.ts';
import { type MemoryLog, memoryLog } from '../broker/memory/memory-log.ts';
import { type ChannelConfig, defaultChannelConfig } from '../domain/channel.ts';
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { NotificationRequest } from '../domain/request.ts';
import type { Provider } from '../providers/provider.ts';
import {
  SCRIPTED_FACTS,
  type ScriptedProvider,
  scriptedProvider,
} from '../providers/scripted/scripted-provider.ts';
import type { Ids } from '../runtime/ids.ts';
import { uuidOfName } from '../runtime/ids.ts';
import { silentLogger } from '../runtime/logger.ts';
import { noMetrics } from '../runtime/metrics.ts';
import { type VirtualTime, virtualTime } from '../runtime/virtual-time.ts';
import { memoryStore } from '../state/memory-store.ts';
import { localFeed } from '../state/notification-feed.ts';
import type { NotificationStore } from '../state/store.ts';
import { type Codec, openCodec } from '../streams/codec.ts';
import { memoryRegistry } from '../streams/memory-registry.ts';
import { recipientHasher } from '../streams/recipient-hash.ts';
import { encodeRequest } from '../streams/requested.ts';
import { pushSchemas } from '../streams/schema-check.ts';
import { type Topics, topicSpecs, topicsOf } from '../streams/topics.ts';
import { notificationTopology } from './graph.ts';
import { type Processor, type ProcessorPorts, type ProcessorSettings, startProcessor } from './processor.ts';
import { DEFAULT_RETENTION } from './retention-settings.ts';

export interface TestDriverOptions {
  /** For providers that wait on the same clock. */
  readonly time?: VirtualTime;
  /** The default is one scripted provider that accepts everything. */
  readonly providers?: readonly Provider[];
  /** The default configures `email` with the first provider. */
  readonly channels?: readonly ChannelConfig[];
  readonly settings?: Partial<ProcessorSettings>;
  readonly partitions?: number;
  /** Wraps the ports before the processor gets them, to watch or to disturb what goes through. */
  readonly around?: (ports: ProcessorPorts) => ProcessorPorts;
}

export interface TestDriver {
  readonly time: VirtualTime;
  readonly log: MemoryLog;
  readonly store: NotificationStore;
  readonly topics: Topics;
  readonly codec: Codec;
  readonly ports: ProcessorPorts;
  readonly processor: Processor;
  /** The default provider; its ledger is the oracle. */
  readonly scripted: ScriptedProvider;
  /** Produces a request and lets everything happen that needs no time. */
  request(request: NotificationRequest): Promise<void>;
  row(id: NotificationId): Promise<Notification | null>;
  dispatched(): readonly LogRecord[];
  deadLetters(): readonly LogRecord[];
  /** Another processor of the same group on the same log and store. */
  startAnother(processId: string): Promise<Processor>;
}

export const TEST_SETTINGS: ProcessorSettings = {
  processId: 'test-driver',
  leaseMs: 45_000,
  breaker: { windowMs: 30_000, minCalls: 20, failureShare: 0.8 },
  publishWithinMs: 60_000,
  sweepPeriodMs: 60_000,
  purgePeriodMs: 3_600_000,
  retention: DEFAULT_RETENTION,
  channelPollMs: 2_000,
  commitPeriodMs: 1_000,
  maxInFlight: 256,
  maxHeapEntries: 10_000,
  maxBufferedRecords: 256,
  stopLimitMs: 30_000,
  partitions: 4,
  cautionMs: 120_000,
  sessionTimeoutMs: 10_000,
  heartbeatIntervalMs: 1_000,
  maxWaitMs: 100,
  maxBytesPerPartition: 1_048_576,
  watchdogMs: 120_000,
};

export async function startTestDriver(options: TestDriverOptions = {}): Promise<TestDriver> {
  const partitions = options.partitions ?? TEST_SETTINGS.partitions;
  const time = options.time ?? virtualTime();
  const topics = topicsOf();
  const log = memoryLog(time, topicSpecs(topics, { partitions, replicationFactor: 1, minInSyncReplicas: 1 }));
  const registry = memoryRegistry();
  await pushSchemas(registry, topics);
  const codec = await openCodec({ registry, clock: time.clock }, topics);
  const store = memoryStore({ clock: time.clock, timers: time.timers });
  const scripted = scriptedProvider(SCRIPTED_FACTS, {}, time.timers);
  const providers = options.providers ?? [scripted];
  const first = providers[0]?.facts.providerKey ?? null;
  for (const config of options.channels ?? [defaultChannelConfig('email', first)])
    await store.saveChannel(config);
  const settings = { ...TEST_SETTINGS, ...options.settings, partitions };
  const around = options.around ?? ((plain) => plain);
  const ports = around({
    clock: time.clock,
    timers: time.timers,
    ids: countedIds(),
    logger: silentLogger,
    metrics: noMetrics,
    log,
    store,
    feed: localFeed({ logger: silentLogger }),
    codec,
    topics,
    providers: new Map(providers.map((provider) => [provider.facts.providerKey, provider])),
    hashRecipient: recipientHasher(new TextEncoder().encode('a key for tests only')),
  });
  const processor = await startProcessor(ports, notificationTopology(topics), settings);
  const producer = await log.producer();
  await time.settle();
  return {
    time,
    log,
    store,
    topics,
    codec,
    ports,
    processor,
    scripted,
    async request(request) {
      const sent = producer.send(encodeRequest(topics, codec, request, null));
      await time.settle();
      await sent;
    },
    row: async (id) => (await store.load([id])).found.get(id)?.row ?? null,
    dispatched: () => log.records(topics.dispatched),
    deadLetters: () => log.records(topics.dlq),
    startAnother: (processId) =>
      startProcessor(ports, notificationTopology(topics), { ...settings, processId }),
  };
}

const NAMESPACE = 'c2b1a2f0-6f0e-4f6e-9d58-0f6f3f3c1f11';

/** Ids that are the same in every run. */
function countedIds(): Ids {
  let count = 0;
  return {
    uuid: () => {
      count += 1;
      return uuidOfName(NAMESPACE, String(count));
    },
    fraction: () => 0.5,
  };
}
