// Every setting of the product in one place, grouped as the code takes them. `pin config` prints this table with the effective values.
import { producerTokenList } from './producer-token-list.ts';
import { RELAY_SETTINGS } from './relay-settings.ts';
import { RETENTION_SETTINGS } from './retention-settings.ts';
import { optionalSetting, type Setting, setting } from './setting.ts';
import {
  duration,
  durationLadder,
  flag,
  hostPort,
  hostPortList,
  oneOf,
  positiveNumber,
  textLike,
  urlOf,
  wholeNumber,
} from './value-schemas.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const MAX_TIERS = 32;
const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}$/;
const TOPIC_PREFIX = /^[a-z0-9]+(\.[a-z0-9-]+)*$/;
const ANY_TEXT = /^[^\r\n]{1,4096}$/;

function topicName(env: string, what: string): Setting<string | null> {
  const schema = textLike(/^[a-zA-Z0-9.-]{1,249}$/, 'letters, digits, dots and dashes');
  return optionalSetting(env, `The topic of ${what}, where the prefix does not make its name.`, schema);
}

export const SETTINGS = {
  profile: {
    name: setting(
      'PIN_PROFILE',
      'development: everything on loopback; production: unsafe settings are refused.',
      oneOf(['development', 'production']),
      'development',
    ),
    consumer: setting(
      'PIN_CONSUMER',
      'Names the processor; only the default one writes the outcomes topic.',
      textLike(NAME, 'lower case letters, digits and dashes'),
      'notification-delivery',
    ),
    processId: optionalSetting(
      'PIN_PROCESS_ID',
      'Stable name of this process in the group; made at start when it is not set.',
      textLike(/^[A-Za-z0-9._-]{1,64}$/, 'letters, digits, dots, dashes and underscores'),
    ),
  },
  kafka: {
    brokers: setting(
      'PIN_KAFKA_BROKERS',
      'host:port of some brokers, by comma.',
      hostPortList,
      '127.0.0.1:9092',
      {
        inProduction: 'set',
      },
    ),
    clientId: setting(
      'PIN_KAFKA_CLIENT_ID',
      'How the brokers log this client.',
      textLike(NAME, 'a short name'),
      'pin',
    ),
    ssl: setting('PIN_KAFKA_SSL', 'TLS to the brokers.', flag, 'false'),
    saslMechanism: optionalSetting(
      'PIN_KAFKA_SASL_MECHANISM',
      'How to log in to the brokers.',
      oneOf(['plain', 'scram-sha-256', 'scram-sha-512']),
    ),
    saslUsername: optionalSetting(
      'PIN_KAFKA_SASL_USERNAME',
      'Who logs in to the brokers.',
      textLike(ANY_TEXT, 'one line'),
    ),
    saslPassword: optionalSetting(
      'PIN_KAFKA_SASL_PASSWORD',
      'The password for the brokers.',
      textLike(ANY_TEXT, 'one line'),
      { secrecy: 'whole' },
    ),
  },
  topics: {
    prefix: setting(
      'PIN_TOPIC_PREFIX',
      'What every topic name starts with.',
      textLike(TOPIC_PREFIX, 'lower case words with dots'),
      'pin.notifications',
    ),
    partitions: setting(
      'PIN_PARTITIONS',
      'Partitions of requested, webhooks, commands and every retry tier; fixed once records are there.',
      wholeNumber(1, 1_000),
      { development: '4', production: '12' },
    ),
    replicationFactor: setting('PIN_REPLICATION_FACTOR', 'Copies of each record.', wholeNumber(1, 15), {
      development: '1',
      production: '3',
    }),
    minInSyncReplicas: setting(
      'PIN_MIN_INSYNC_REPLICAS',
      'Copies that must have a record before it counts as acknowledged.',
      wholeNumber(1, 15),
      { development: '1', production: '2' },
    ),
    retryTiersMs: setting(
      'PIN_RETRY_TIERS',
      'The waits that have a topic of their own, ascending.',
      durationLadder(MAX_TIERS),
      '1s,5s,30s,1m,2m,4m,8m,15m',
    ),
    requested: topicName('PIN_TOPIC_REQUESTED', 'send requests'),
    webhooks: topicName('PIN_TOPIC_WEBHOOKS', 'provider webhooks'),
    commands: topicName('PIN_TOPIC_COMMANDS', 'commands'),
    dispatched: topicName('PIN_TOPIC_DISPATCHED', 'final outcomes'),
    dlq: topicName('PIN_TOPIC_DLQ', 'requests that broke the contract'),
  },
  registry: {
    url: setting(
      'PIN_REGISTRY_URL',
      'Schema registry.',
      urlOf(['http', 'https']),
      'http://127.0.0.1:8081/apis/ccompat/v7',
      {
        secrecy: 'url',
        inProduction: 'set',
      },
    ),
  },
  database: {
    url: setting(
      'PIN_DATABASE_URL',
      'Postgres.',
      urlOf(['postgres', 'postgresql']),
      'postgres://pin:pin@127.0.0.1:5432/pin',
      { secrecy: 'url', inProduction: 'set' },
    ),
    schema: setting(
      'PIN_DATABASE_SCHEMA',
      'The schema that holds the tables; one for each consumer.',
      textLike(IDENTIFIER, 'a lower case SQL name'),
      'pin',
    ),
    readers: setting(
      'PIN_DATABASE_READERS',
      'Connections of one process that read.',
      wholeNumber(1, 100),
      '4',
    ),
    writerLanes: setting(
      'PIN_WRITER_LANES',
      'Connections of one process that write.',
      wholeNumber(1, 16),
      '1',
    ),
  },
  redis: {
    url: optionalSetting(
      'PIN_REDIS_URL',
      'Tells other processes of changes at once; not needed.',
      urlOf(['redis', 'rediss']),
      {
        secrecy: 'url',
      },
    ),
  },
  retention: RETENTION_SETTINGS,
  http: {
    address: setting(
      'PIN_HTTP_ADDR',
      'Where /v1, /livez, /readyz and /metrics answer.',
      hostPort,
      '127.0.0.1:8088',
    ),
    publicUrl: optionalSetting(
      'PIN_PUBLIC_URL',
      'This service as providers call it; part of their signatures.',
      urlOf(['http', 'https']),
    ),
    adminToken: optionalSetting(
      'PIN_ADMIN_TOKEN',
      'Bearer token of operators.',
      textLike(/^\S{16,}$/, '16 characters or more'),
      {
        secrecy: 'whole',
      },
    ),
  },
  log: {
    level: setting(
      'PIN_LOG_LEVEL',
      'Lowest level that is written.',
      oneOf(['debug', 'info', 'warn', 'error']),
      'info',
    ),
    format: setting(
      'PIN_LOG_FORMAT',
      'json for machines, text for a terminal.',
      oneOf(['json', 'text']),
      'json',
    ),
  },
  security: {
    encryptionKey: optionalSetting(
      'PIN_ENCRYPTION_KEY',
      'Key that recipient hashes are derived from; keep it for ever.',
      textLike(/^\S{32,}$/, '32 characters or more without spaces'),
      { secrecy: 'whole', inProduction: 'file' },
    ),
    producerTokens: optionalSetting(
      'PIN_PRODUCER_TOKENS',
      'Who may ask over HTTP: a line from `pin token new` for each service. Without any, only a developer on loopback.',
      producerTokenList,
      { secrecy: 'whole' },
    ),
  },
  processor: {
    concurrency: setting(
      'PIN_CONCURRENCY',
      'Notifications worked on at once.',
      wholeNumber(1, 10_000),
      '256',
    ),
    leaseMs: setting(
      'PIN_LEASE',
      'How long a claim keeps others away; at least flush (10 s) + provider deadline + 10 s.',
      duration(5 * SECOND_MS, 60 * MINUTE_MS),
      '45s',
    ),
    stopLimitMs: setting(
      'PIN_STOP_LIMIT',
      'How long a graceful stop may take; at least the longest provider deadline.',
      duration(SECOND_MS, 60 * MINUTE_MS),
      '30s',
    ),
    sweepPeriodMs: setting(
      'PIN_SWEEP_PERIOD',
      'How often overdue wake-ups are looked for.',
      duration(SECOND_MS, 60 * MINUTE_MS),
      '1m',
    ),
    watchdogMs: setting(
      'PIN_WATCHDOG',
      'No progress for this long, without a named outage, ends the process.',
      duration(10 * SECOND_MS, 60 * MINUTE_MS),
      '2m',
    ),
    breakerWindowMs: setting(
      'PIN_BREAKER_WINDOW',
      'Of how long ago calls still count for the breaker of their provider.',
      duration(SECOND_MS, 60 * MINUTE_MS),
      '30s',
    ),
    breakerMinCalls: setting(
      'PIN_BREAKER_MIN_CALLS',
      'Fewer calls of one process within the window close no gate.',
      wholeNumber(1, 1_000_000),
      '20',
    ),
    breakerFailureShare: setting(
      'PIN_BREAKER_FAILURE_SHARE',
      'The share of failed calls that closes the gate of their provider, 1 at most.',
      positiveNumber(1),
      '0.8',
    ),
    maxClockSkewMs: setting(
      'PIN_MAX_CLOCK_SKEW',
      'Largest difference to the clock of Postgres that start accepts.',
      duration(100, 10 * MINUTE_MS),
      '5s',
    ),
  },
  relay: RELAY_SETTINGS,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Setting<unknown>>>>>;

type ValuesOf<Group> = {
  readonly [Key in keyof Group]: Group[Key] extends Setting<infer T> ? T : never;
};

/** The values of every setting, by group. */
export type SettingValues = { readonly [Name in keyof typeof SETTINGS]: ValuesOf<(typeof SETTINGS)[Name]> };
