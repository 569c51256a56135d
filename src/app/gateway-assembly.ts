// Settings and servers become the doors of upstream services: requests in over HTTP, and the story of a notification out. The routes go
// into the one HTTP server of the process, whatever else runs in it.
import type { Log } from '../broker/log.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { HealthSource } from '../gateway/health.ts';
import type { Routes } from '../gateway/http-server.ts';
import { openApiDocument } from '../gateway/open-api.ts';
import {
  type Authenticate,
  anybodyIsThePlatform,
  bearerCallers,
  nobody,
} from '../gateway/producer-tokens.ts';
import { readingDoor, type SeenNotification } from '../gateway/reading-door.ts';
import { requestSender } from '../gateway/request-sender.ts';
import { requestsDoor } from '../gateway/requests-door.ts';
import { explainTimeline } from '../ops/explain-timeline.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { NotificationReader } from '../state/notification-reader.ts';
import { openCodec } from '../streams/codec.ts';
import type { SchemaRegistry } from '../streams/registry.ts';
import type { Config } from './config/config.ts';
import { readerOfConfig, topicsOfConfig } from './connections.ts';
import type { Environment } from './environment.ts';
import { notificationFacts } from './notification-facts.ts';
import { packageVersion } from './package-version.ts';

export interface Gateway {
  readonly routes: readonly Routes[];
  readonly ready: HealthSource['ready'];
  close(): Promise<void>;
}

/** A request that waits longer than this for the log makes the process unready. */
const SLOW_LOG_MS = 5_000;
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** @throws Fault LOG_UNAVAILABLE, REGISTRY_UNAVAILABLE, SCHEMAS_NOT_REGISTERED */
export async function openGateway(
  environment: Environment,
  config: Config,
  servers: { readonly log: Log; readonly registry: SchemaRegistry },
  watched: { readonly logger: Logger; readonly metrics: Metrics },
): Promise<Gateway> {
  const { clock, timers, ids } = environment;
  const topics = topicsOfConfig(config);
  const codec = await openCodec({ registry: servers.registry, clock }, topics);
  const producer = await servers.log.producer();
  const reader = readerOfConfig(config, watched.logger);
  const sender = requestSender({ producer, clock, timers });
  const authenticate = authentication(config, watched.logger);
  const find = (id: NotificationId) => findNotification(reader, clock.nowMs, id);
  const document = openApiDocument(packageVersion());
  const { metrics } = watched;
  return {
    routes: [
      requestsDoor({ authenticate, sender, clock, ids, codec, topics, metrics }),
      readingDoor({ authenticate, metrics, find }),
      (app) => void app.get('/openapi.json', (_, reply) => reply.send(document)),
    ],
    ready() {
      const isSlow = sender.oldestWaitMs() > SLOW_LOG_MS;
      return { ok: !isSlow, reasons: isSlow ? ['the log does not acknowledge requests'] : [], detail: {} };
    },
    async close() {
      await Promise.all([producer.close(), reader.close()]);
    },
  };
}

/** Without tokens the doors are open on a developer's own machine, and closed everywhere else. */
function authentication(config: Config, logger: Logger): Authenticate {
  const { producerTokens } = config.security;
  if (producerTokens !== null) return bearerCallers(producerTokens);
  const isOwnMachine = config.profile.name === 'development' && LOOPBACK.includes(config.http.address.host);
  logger.warn('gateway.no-tokens', { open: isOwnMachine });
  return isOwnMachine ? anybodyIsThePlatform : nobody;
}

async function findNotification(
  reader: NotificationReader,
  nowMs: () => number,
  id: NotificationId,
): Promise<SeenNotification | null> {
  const stored = await reader.findById(id);
  if (stored === null) return null;
  const { lines, isCut, next } = explainTimeline(stored.row, nowMs());
  return {
    tenantId: stored.row.tenantId,
    facts: notificationFacts(stored),
    timeline: { id, lines, isCut, next },
  };
}
