// The servers that the settings name, as the ports of the rooms that speak to them. Nothing connects before it is asked to.
import { kafkaLog } from '../broker/kafkajs/kafka-log.ts';
import type { Log } from '../broker/log.ts';
import type { Logger } from '../runtime/logger.ts';
import { silentLogger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { pinoLogger } from '../runtime/pino-logger.ts';
import { textLogger } from '../runtime/text-logger.ts';
import type { Inbox } from '../state/inbox.ts';
import { postgresInbox } from '../state/inbox-table.ts';
import { localFeed, type NotificationFeed } from '../state/notification-feed.ts';
import { type NotificationReader, notificationReader } from '../state/notification-reader.ts';
import { DEFAULT_STORE_SETTINGS, postgresStore } from '../state/postgres-store.ts';
import { type QuarantineBook, quarantineBook } from '../state/quarantine-book.ts';
import { redisFeed } from '../state/redis-feed.ts';
import type { NotificationStore } from '../state/store.ts';
import { confluentRegistry } from '../streams/confluent-registry.ts';
import type { SchemaRegistry } from '../streams/registry.ts';
import { type TopicOverrides, type Topics, topicsOf } from '../streams/topics.ts';
import type { Config } from './config/config.ts';
import type { Environment } from './environment.ts';

/** Names and rules of the topics. @throws Fault TOPICS_UNSAFE */
export function topicsOfConfig(config: Config): Topics {
  const { prefix, retryTiersMs, requested, webhooks, commands, dispatched, dlq } = config.topics;
  const named = Object.entries({ requested, webhooks, commands, dispatched, dlq }).filter(
    ([, name]) => name !== null,
  );
  const overrides = Object.fromEntries(named) as TopicOverrides;
  return topicsOf({ prefix, consumer: config.profile.consumer, tierDelaysMs: retryTiersMs, overrides });
}

export function logOfConfig(environment: Environment, config: Config, logger: Logger): Log {
  const { brokers, clientId, ssl, saslMechanism, saslUsername, saslPassword } = config.kafka;
  const { clock, timers, ids } = environment;
  const sasl =
    saslMechanism === null
      ? {}
      : { sasl: { mechanism: saslMechanism, username: saslUsername ?? '', password: saslPassword ?? '' } };
  return kafkaLog({ clock, timers, ids, logger }, { brokers, clientId, ssl, ...sasl });
}

export function registryOfConfig(environment: Environment, config: Config): SchemaRegistry {
  return confluentRegistry({ timers: environment.timers, url: config.registry.url });
}

/** Connects when it is first used. */
export function storeOfConfig(environment: Environment, config: Config, logger: Logger): NotificationStore {
  const { clock, timers } = environment;
  const { url, schema, readers, writerLanes } = config.database;
  return postgresStore(
    { clock, timers, logger },
    { ...DEFAULT_STORE_SETTINGS, databaseUrl: url, schema, readers, writerLanes },
  );
}

/** Where PIN_REDIS_URL is set, other processes hear too. It connects in the background, and its loss is only latency. */
export function feedOfConfig(
  { ids }: Environment,
  config: Config,
  watched: { readonly logger: Logger; readonly metrics: Metrics },
): NotificationFeed {
  const { url } = config.redis;
  if (url === null) return localFeed(watched);
  return redisFeed({ ids, ...watched }, { url, channel: `${config.topics.prefix}.changes` });
}

/** Connections of its own for operators' questions; connects when it is first used. */
export function readerOfConfig(config: Config, logger: Logger): NotificationReader {
  const { url, schema } = config.database;
  return notificationReader({ logger }, { databaseUrl: url, schema, applicationName: 'pin-reader' });
}

/** What people see in the app; connects when it is first used. */
export function inboxOfConfig(config: Config, logger: Logger): Inbox {
  const { url, schema } = config.database;
  return postgresInbox({ logger }, { databaseUrl: url, schema, applicationName: 'pin-inbox' });
}

/** As `readerOfConfig`, for those who put things back. */
export function quarantineOfConfig(config: Config, logger: Logger): QuarantineBook {
  const { url, schema } = config.database;
  return quarantineBook({ logger }, { databaseUrl: url, schema, applicationName: 'pin-quarantine' });
}

/** A command talks in sentences; what its clients log is shown only to those who ask for it. */
export function commandLogger(environment: Environment, config: Config): Logger {
  if (config.log.level !== 'debug') return silentLogger;
  return textLogger({ clock: environment.clock }, 'debug', environment.stderr);
}

/** What operators did with many notifications at once is a log line too, for whoever collects them. */
export function operatorLogger({ clock, stderr }: Environment, { log: { format } }: Config): Logger {
  return format === 'json' ? pinoLogger('info', stderr) : textLogger({ clock }, 'info', stderr);
}
