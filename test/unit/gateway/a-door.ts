// The doors on a real HTTP server, with the log in memory: what a test asserts on is the answer and what the topic holds.
import type { LogProducer, LogRecord } from '../../../src/broker/log.ts';
import { memoryLog } from '../../../src/broker/memory/memory-log.ts';
import { type HttpServer, type Routes, startHttpServer } from '../../../src/gateway/http-server.ts';
import { bearerCallers, newToken, type ProducerToken } from '../../../src/gateway/producer-tokens.ts';
import { requestSender, SENDER_LIMITS, type SenderLimits } from '../../../src/gateway/request-sender.ts';
import { requestsDoor } from '../../../src/gateway/requests-door.ts';
import { systemIds } from '../../../src/runtime/ids.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { noMetrics } from '../../../src/runtime/metrics.ts';
import { type VirtualTime, virtualTime } from '../../../src/runtime/virtual-time.ts';
import { topicSpecs } from '../../../src/streams/topics.ts';
import { aCodec, type CodecWorld } from '../streams/a-codec.ts';

export interface Door extends CodecWorld {
  readonly url: string;
  readonly time: VirtualTime;
  /** What requested.v1 holds. */
  records(): readonly LogRecord[];
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<DoorAnswer>;
  close(): Promise<void>;
}

export interface DoorAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Tokens of three services: one of tenant-1, one of the platform, one that may only read. */
export const TOKENS = {
  orders: aToken('orders', 'tenant-1'),
  platform: aToken('platform', null),
  reports: aToken('reports', 'tenant-1', ['reader']),
};

function aToken(
  name: string,
  tenantId: string | null,
  roles: ProducerToken['roles'] = ['producer', 'reader'],
) {
  const { token, entry } = newToken(name, tenantId, Buffer.alloc(32, name));
  return { token, held: { name, tenantId, roles, sha256: entry.sha256 } };
}

export const authenticate = bearerCallers(Object.values(TOKENS).map(({ held }) => held));

export interface DoorOptions {
  readonly limits?: Partial<SenderLimits>;
  /** Wraps the producer, to make the log slow. */
  readonly around?: (producer: LogProducer) => LogProducer;
  readonly more?: readonly Routes[];
}

export async function openDoor(options: DoorOptions = {}): Promise<Door> {
  const world = await aCodec();
  const time = virtualTime();
  const size = { partitions: 4, replicationFactor: 1, minInSyncReplicas: 1 };
  // The log's own clock never has to move: it acknowledges at once.
  const log = memoryLog({ clock: time.clock, timers: immediate }, topicSpecs(world.topics, size));
  const producer = (options.around ?? ((plain) => plain))(await log.producer());
  const limits = { ...SENDER_LIMITS, ...options.limits };
  const door = requestsDoor({
    authenticate,
    sender: requestSender({ producer, ...time }, limits),
    ids: systemIds,
    metrics: noMetrics,
    clock: time.clock,
    topics: world.topics,
    codec: world.codec,
  });
  const server = await startHttpServer({ logger: silentLogger }, { host: '127.0.0.1', port: 0 }, [
    door,
    ...(options.more ?? []),
  ]);
  return {
    ...world,
    url: server.url,
    time,
    records: () => log.records(world.topics.requested),
    ...caller(server),
  };
}

const immediate = {
  after: (_: number, task: () => void) => {
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  },
};

function caller(server: HttpServer): Pick<Door, 'post' | 'close'> {
  return {
    async post(body, headers = {}) {
      const response = await fetch(`${server.url}/v1/notifications`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${TOKENS.orders.token}`,
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as DoorAnswer['body'],
      };
    },
    close: () => server.close(),
  };
}
