// The product on the real servers for one test file: its own topics, group, schema and vendor, so that files do not meet.
// A world is all of that without a processor, for tests that run one as a process of its own; a service is a world with one inside.
// What a test asserts on comes from outside the product: the vendor's ledger, the topic's bytes, the table by plain SQL.
import { randomUUID } from 'node:crypto';
import type { Config } from '../../src/app/config/config.ts';
import { readConfig } from '../../src/app/config/read-config.ts';
import { logOfConfig, registryOfConfig, storeOfConfig, topicsOfConfig } from '../../src/app/connections.ts';
import type { Environment, TextSink } from '../../src/app/environment.ts';
import { prepareServers } from '../../src/app/prepare.ts';
import {
  assembleProcessor,
  type ProcessorServers,
  type RunningProcessor,
} from '../../src/app/processor-assembly.ts';
import type { LogProducer, LogRecord, OutgoingRecord } from '../../src/broker/log.ts';
import { type Channel, type ChannelConfig, defaultChannelConfig } from '../../src/domain/channel.ts';
import type { NotificationRequest } from '../../src/domain/request.ts';
import { type HttpVendor, type HttpVendorSettings, startHttpVendor } from '../../src/lab/http-vendor.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { invariant } from '../../src/runtime/fault.ts';
import { systemIds } from '../../src/runtime/ids.ts';
import { silentLogger } from '../../src/runtime/logger.ts';
import { type PrometheusMetrics, prometheusMetrics } from '../../src/runtime/prometheus-metrics.ts';
import { systemTimers } from '../../src/runtime/timers.ts';
import { type Codec, openCodec } from '../../src/streams/codec.ts';
import { decodeDispatched } from '../../src/streams/dispatched.ts';
import type { NotificationDispatchedEvent } from '../../src/streams/generated/notification-dispatched-event.ts';
import { encodeRequest } from '../../src/streams/requested.ts';
import type { Topics } from '../../src/streams/topics.ts';
import { type Seen, seenRecords } from './seen-records.ts';
import { type ServiceTable, serviceTable } from './service-table.ts';
import { stackAddresses } from './stack-servers.ts';

export interface RealWorld extends Omit<ServiceTable, 'drop'> {
  readonly config: Config;
  readonly topics: Topics;
  readonly codec: Codec;
  readonly vendor: HttpVendor;
  readonly metrics: PrometheusMetrics;
  readonly servers: ProcessorServers;
  readonly environment: Environment;
  /** Everything on dispatched, the dead letters and the requests since the service was made. */
  readonly seen: Seen;
  send(request: NotificationRequest): Promise<void>;
  produce(record: OutgoingRecord): Promise<void>;
  saveChannel(config: ChannelConfig): Promise<void>;
  /** The `n`-th outcome of the key, decoded from the topic. */
  outcome(id: string, n?: number, limitMs?: number): Promise<NotificationDispatchedEvent>;
  outcomesOf(id: string): Promise<readonly NotificationDispatchedEvent[]>;
  /** The first outcome of this number on the topic: a row that says it is published may be seen before the reader has it. */
  outcomeNumbered(id: string, outcomeSeq: number): Promise<NotificationDispatchedEvent>;
  deadLetters(): readonly LogRecord[];
  /** Ends everything but the servers. */
  stop(): Promise<void>;
}

export interface RealService extends RealWorld {
  readonly running: RunningProcessor;
}

export interface RealServiceOptions {
  readonly vendor?: HttpVendorSettings;
  readonly channels?: readonly ChannelConfig[];
  /** More settings, as environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
}

const SHORT_BACKOFF = { kind: 'fixed', baseMs: 1_000, capMs: 1_000, jitter: 0 } as const;

/** The channel as the tests use it: the test's vendor, one second between attempts. */
export function testChannel(channel: Channel, over: Partial<ChannelConfig> = {}): ChannelConfig {
  return { ...defaultChannelConfig(channel, 'vendor'), backoff: SHORT_BACKOFF, ...over };
}

export async function startRealService(options: RealServiceOptions = {}): Promise<RealService> {
  const world = await openRealWorld(options);
  const { environment, config, servers, metrics } = world;
  const running = await assembleProcessor(environment, config, servers, { logger: silentLogger, metrics });
  return {
    ...world,
    running,
    async stop() {
      await running.stop();
      await world.stop();
    },
  };
}

export async function openRealWorld(options: RealServiceOptions = {}): Promise<RealWorld> {
  const vendor = await startHttpVendor({ clock: systemClock, timers: systemTimers }, options.vendor ?? {});
  const environment = testEnvironment({ ...settingsFor(vendor), ...options.variables });
  const answer = readConfig(environment.variables);
  invariant(answer.kind === 'ok', `test settings: ${answer.kind === 'ok' ? '' : answer.errors.join('; ')}`);
  const { config } = answer;
  const metrics = prometheusMetrics({ version: 'test', node: process.versions.node });
  const servers: ProcessorServers = {
    log: logOfConfig(environment, config, silentLogger),
    registry: registryOfConfig(environment, config),
    store: storeOfConfig(environment, config, silentLogger),
  };
  await prepareServers(config, servers, silentLogger);
  const topics = topicsOfConfig(config);
  const codec = await openCodec({ registry: servers.registry, clock: systemClock }, topics);
  for (const channel of options.channels ?? [testChannel('email')]) await servers.store.saveChannel(channel);
  const seen = await seenRecords(servers.log, [topics.dispatched, topics.dlq, topics.requested]);
  const producer = await servers.log.producer();
  const table = serviceTable(config.database.url, config.database.schema);
  return {
    ...{ config, topics, codec, vendor, metrics, servers, environment, seen },
    ...outcomeReader(seen, topics, codec),
    ...table,
    send: (request) => produceOne(producer, encodeRequest(topics, codec, request, null)),
    produce: (record) => produceOne(producer, record),
    saveChannel: (channel) => servers.store.saveChannel(channel),
    deadLetters: () => seen.of(topics.dlq),
    async stop() {
      await producer.close();
      await seen.stop();
      await servers.store.close();
      await table.drop();
      await vendor.close();
    },
  };
}

async function produceOne(producer: LogProducer, record: OutgoingRecord): Promise<void> {
  await producer.send(record);
}

function settingsFor(vendor: HttpVendor): Record<string, string> {
  const name = randomUUID().slice(0, 8);
  const addresses = stackAddresses();
  return {
    PIN_KAFKA_BROKERS: addresses.kafkaBrokers.join(','),
    PIN_REGISTRY_URL: addresses.registryUrl,
    PIN_DATABASE_URL: addresses.databaseUrl,
    PIN_DATABASE_SCHEMA: `test_${name}`,
    PIN_TOPIC_PREFIX: `pin.test.t${name}`,
    PIN_PARTITIONS: '2',
    PIN_RETRY_TIERS: '1s,5s,30s',
    PIN_PROVIDER_VENDOR_ADAPTER: 'http',
    PIN_PROVIDER_VENDOR_URL: vendor.url,
    PIN_PROVIDER_VENDOR_CAPABILITY: 'key',
    PIN_PROVIDER_VENDOR_DEADLINE: '2s',
  };
}

export function testEnvironment(variables: Readonly<Record<string, string>>): Environment {
  const nowhere: TextSink = { write: () => true, isTerminal: false };
  return {
    variables,
    stdout: nowhere,
    stderr: nowhere,
    stdin: { isTerminal: false, async *[Symbol.asyncIterator]() {} },
    readFile: () => '',
    signal: new AbortController().signal,
    clock: systemClock,
    timers: systemTimers,
    ids: systemIds,
  };
}

function outcomeReader(
  seen: Seen,
  topics: Topics,
  codec: Codec,
): Pick<RealWorld, 'outcome' | 'outcomesOf' | 'outcomeNumbered'> {
  const decoded = async (record: LogRecord) => {
    const answer = await decodeDispatched(codec, record);
    invariant(answer.kind === 'decoded', `an outcome cannot be read: ${JSON.stringify(answer)}`);
    return answer.value;
  };
  const outcome: RealWorld['outcome'] = async (id, n = 1, limitMs) => {
    const records = await seen.atLeast(topics.dispatched, id, n, limitMs);
    const record = records[n - 1];
    invariant(record !== undefined, 'atLeast gives at least n');
    return decoded(record);
  };
  return {
    outcome,
    outcomesOf: (id) => Promise.all(seen.of(topics.dispatched, id).map(decoded)),
    async outcomeNumbered(id, outcomeSeq) {
      for (let n = 1; ; n += 1) {
        const next = await outcome(id, n);
        if (next.outcomeSeq === outcomeSeq) return next;
      }
    },
  };
}
