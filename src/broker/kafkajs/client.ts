// One kafkajs client per producer, consumer, admin and tail, all built here with every setting spelled out: the defaults of the package
// differ between environments (NODE_ENV=test) and do not suit a service that must survive outages.
import type { Admin, KafkaConfig, Kafka as KafkaPackageClient, RetryOptions, SASLOptions } from 'kafkajs';
import type { Clock } from '../../runtime/clock.ts';
import { messageOf } from '../../runtime/fault.ts';
import type { Ids } from '../../runtime/ids.ts';
import type { Logger } from '../../runtime/logger.ts';
import { type Timers, within } from '../../runtime/timers.ts';
import { type ClientEvent, clientLogger } from './client-logger.ts';
import { Kafka, logLevel } from './client-package.ts';
import { calmRequestQueue } from './idle-guard.ts';
import { sockets } from './sockets.ts';
import { tryAgain } from './try-again.ts';

export interface KafkaDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Randomness of names for readers without a group. */
  readonly ids: Ids;
}

export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly ssl?: boolean;
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
}

const CONNECTION_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** Getting a first connection, with the retries below. */
export const CONNECT_LIMIT_MS = 20_000;
export const DISCONNECT_LIMIT_MS = 5_000;

/** About 4 s in all; whoever must survive longer outages goes round again. */
export const RETRY: RetryOptions = {
  initialRetryTime: 100,
  multiplier: 2,
  maxRetryTime: 1_000,
  factor: 0.2,
  retries: 6,
};

export interface KafkaClient {
  readonly kafka: KafkaPackageClient;
  /** Ends the client for good, whatever it is doing. */
  drop(): void;
}

export function kafkaClient(
  deps: KafkaDeps,
  settings: KafkaSettings,
  onClientEvent?: (event: ClientEvent) => void,
): KafkaClient {
  calmRequestQueue(deps.logger);
  const { factory, drop } = sockets();
  const config: KafkaConfig = {
    brokers: [...settings.brokers],
    clientId: settings.clientId,
    ssl: settings.ssl ?? false,
    socketFactory: factory,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    authenticationTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: RETRY,
    logLevel: logLevel.INFO,
    logCreator: clientLogger(deps.logger, onClientEvent),
  };
  const kafka = new Kafka(settings.sasl === undefined ? config : { ...config, sasl: saslOf(settings.sasl) });
  return { kafka, drop };
}

/**
 * One question over a connection of its own, which is gone afterwards.
 * @throws Fault LOG_UNAVAILABLE (retriable) when there is no answer in time, or what the question throws
 */
export async function askBrokers<T>(
  deps: KafkaDeps,
  settings: KafkaSettings,
  question: (admin: Admin) => Promise<T>,
): Promise<T> {
  const { kafka, drop } = kafkaClient(deps, settings);
  const admin = kafka.admin();
  try {
    const answer = admin.connect().then(() => tryAgain(deps.timers, () => question(admin)));
    return await within(deps.timers, CONNECT_LIMIT_MS, 'LOG_UNAVAILABLE', answer);
  } finally {
    void ended(deps, admin.disconnect(), DISCONNECT_LIMIT_MS).then(drop);
  }
}

/** Waits for a disconnect, but not for ever; false when it did not end well in time. */
export function ended(deps: KafkaDeps, disconnecting: Promise<void>, limitMs: number): Promise<boolean> {
  return within(deps.timers, limitMs, 'LOG_UNAVAILABLE', disconnecting).then(
    () => true,
    (error: unknown) => {
      deps.logger.debug('kafka.disconnect-unanswered', { reason: messageOf(error) });
      return false;
    },
  );
}

/** kafkajs wants one type per mechanism. */
function saslOf({ mechanism, username, password }: NonNullable<KafkaSettings['sasl']>): SASLOptions {
  switch (mechanism) {
    case 'plain':
      return { mechanism, username, password };
    case 'scram-sha-256':
      return { mechanism, username, password };
    case 'scram-sha-512':
      return { mechanism, username, password };
  }
}
