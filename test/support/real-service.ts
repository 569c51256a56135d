// The product on the real servers for one test file: its own topics, group, schema and vendor, so that files do not meet.
// What a test asserts on comes from outside the product: the vendor's ledger, the topic's bytes, the table by plain SQL.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
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
import { stackAddresses } from './stack-servers.ts';

export interface RealService {
  readonly config: Config;
  readonly topics: Topics;
  readonly codec: Codec;
  readonly vendor: HttpVendor;
  readonly metrics: PrometheusMetrics;
  readonly servers: ProcessorServers;
  readonly running: RunningProcessor;
  readonly environment: Environment;
  /** Everything on dispatched, the dead letters and the requests since the service was made. */
  readonly seen: Seen;
  send(request: NotificationRequest): Promise<void>;
  produce(record: OutgoingRecord): Promise<void>;
  saveChannel(config: ChannelConfig): Promise<void>;
  /** The `n`-th outcome of the key, decoded from the topic. */
  outcome(id: string, n?: number): Promise<NotificationDispatchedEvent>;
  outcomesOf(id: string): Promise<readonly NotificationDispatchedEvent[]>;
  /** The row by plain SQL; columns as in the table. */
  row(id: string): Promise<Record<string, unknown> | null>;
  rowWhere(id: string, holds: (row: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  deadLetters(): readonly LogRecord[];
  stop(): Promise<void>;
}

export interface RealServiceOptions {
  readonly vendor?: HttpVendorSettings;
  readonly channels?: readonly ChannelConfig[];
  /** More settings, as environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
}

const SHORT_BACKOFF = { kind: 'fixed', baseMs: 1_000, capMs: 1_000, jitter: 0 } as const;
const ROW_LIMIT_MS = 20_000;
const LOOK_EVERY_MS = 25;

/** The channel as the tests use it: the test's vendor, one second between attempts. */
export function testChannel(channel: Channel, over: Partial<ChannelConfig> = {}): ChannelConfig {
  return { ...defaultChannelConfig(channel, 'vendor'), backoff: SHORT_BACKOFF, ...over };
}

export async function startRealService(options: RealServiceOptions = {}): Promise<RealService> {
  const vendor = await startHttpVendor({ clock: systemClock, timers: systemTimers }, options.vendor ?? {});
  const environment = testEnvironment({ ...settingsFor(vendor), ...options.variables });
  const answer = readConfig(environment.variables);
  invariant(answer.kind === 'ok', `test settings: ${answer.kind === 'ok' ? '' : answer.errors.join('; ')}`);
  const { config } = answer;
  const metrics = prometheusMetrics({ version: 'test', node: process.versions.node });
  const servers: ProcessorServers = {
    log: logOfConfig(environment, config, silentLogger),
    registry: registryOfConfig(environment, config),
    store: storeOfConfig(environment, config, { logger: silentLogger, metrics }),
  };
  await prepareServers(config, servers, silentLogger);
  const topics = topicsOfConfig(config);
  const codec = await openCodec({ registry: servers.registry, clock: systemClock }, topics);
  for (const channel of options.channels ?? [testChannel('email')]) await servers.store.saveChannel(channel);
  const seen = await seenRecords(servers.log, [topics.dispatched, topics.dlq, topics.requested]);
  const running = await assembleProcessor(environment, config, servers, { logger: silentLogger, metrics });
  const producer = await servers.log.producer();
  const database = new pg.Pool({ connectionString: config.database.url, max: 2 });
  const outcomes = outcomeReader(seen, topics, codec);
  return {
    ...{ config, topics, codec, vendor, metrics, servers, running, environment, seen },
    ...outcomes,
    ...rowReader(database, config.database.schema),
    send: (request) => produceOne(producer, encodeRequest(topics, codec, request, null)),
    produce: (record) => produceOne(producer, record),
    saveChannel: (channel) => servers.store.saveChannel(channel),
    deadLetters: () => seen.of(topics.dlq),
    async stop() {
      await running.stop();
      await producer.close();
      await seen.stop();
      await servers.store.close();
      await database.query(`drop schema "${config.database.schema}" cascade`);
      await database.end();
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
): Pick<RealService, 'outcome' | 'outcomesOf'> {
  const decoded = async (record: LogRecord) => {
    const answer = await decodeDispatched(codec, record);
    invariant(answer.kind === 'decoded', `an outcome cannot be read: ${JSON.stringify(answer)}`);
    return answer.value;
  };
  return {
    async outcome(id, n = 1) {
      const records = await seen.atLeast(topics.dispatched, id, n);
      const record = records[n - 1];
      invariant(record !== undefined, 'atLeast gives at least n');
      return decoded(record);
    },
    outcomesOf: (id) => Promise.all(seen.of(topics.dispatched, id).map(decoded)),
  };
}

function rowReader(database: pg.Pool, schema: string): Pick<RealService, 'row' | 'rowWhere'> {
  const row = async (id: string): Promise<Record<string, unknown> | null> => {
    const found = await database.query<Record<string, unknown>>(
      `select * from "${schema}".notifications where id = $1`,
      [id],
    );
    return found.rows[0] ?? null;
  };
  return {
    row,
    async rowWhere(id, holds) {
      const limitMs = systemClock.monotonicMs() + ROW_LIMIT_MS;
      for (;;) {
        const found = await row(id);
        if (found !== null && holds(found)) return found;
        invariant(systemClock.monotonicMs() < limitMs, `the row never became so: ${JSON.stringify(found)}`);
        await new Promise<void>((resolve) => systemTimers.after(LOOK_EVERY_MS, resolve));
      }
    },
  };
}
