// The feed over Redis pub/sub: listeners of other processes hear too. It promises that Redis can only be late or silent, never in the way:
// own listeners are told without it, what waits for it is bounded and the oldest is dropped and counted, and it connects again by itself.
import { Redis } from 'ioredis';
import { messageOf } from '../runtime/fault.ts';
import type { Ids } from '../runtime/ids.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { feedMessage, readFeedMessage } from './feed-message.ts';
import { localFeed, type NotificationFeed } from './notification-feed.ts';

export interface RedisFeedDeps {
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface RedisFeedSettings {
  readonly url: string;
  /** Feeds of one channel hear each other. */
  readonly channel: string;
}

/** Events that wait for Redis; beyond it the oldest are dropped. */
export const MAX_WAITING_EVENTS = 1_000;
/** Events that Redis has and did not answer yet. */
const MAX_IN_FLIGHT = 64;
const CONNECT_LIMIT_MS = 2_000;
const ANSWER_LIMIT_MS = 2_000;
const FIRST_RECONNECT_MS = 50;
const MAX_RECONNECT_MS = 2_000;

/** Connects in the background; returns at once whether Redis is there or not. */
export function redisFeed(deps: RedisFeedDeps, { url, channel }: RedisFeedSettings): NotificationFeed {
  const own = localFeed(deps);
  const origin = deps.ids.uuid();
  const watch = connectionWatch(deps);
  const publisher = watch(new Redis(url, CONNECTION));
  const subscriber = watch(new Redis(url, CONNECTION));
  const queue = sendQueue(deps, publisher, channel);
  publisher.on('ready', queue.pump);
  subscriber.on('ready', () => void subscriber.subscribe(channel).catch(() => subscriber.disconnect(true)));
  subscriber.on('message', (_channel: string, text: string) => {
    const message = readFeedMessage(text);
    if (message === null) deps.logger.debug('feed.unread', { bytes: text.length });
    else if (message.origin !== origin) own.publish(message.event);
  });
  let isOpen = true;
  return {
    publish(event) {
      if (!isOpen) return;
      own.publish(event);
      queue.add(feedMessage({ origin, event }));
    },
    subscribe: own.subscribe,
    async close() {
      isOpen = false;
      publisher.disconnect();
      subscriber.disconnect();
      await own.close();
    },
  };
}

/** Nothing waits inside the client: the queue here is the only one, and it has a limit. */
const CONNECTION = {
  enableOfflineQueue: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  connectTimeout: CONNECT_LIMIT_MS,
  commandTimeout: ANSWER_LIMIT_MS,
  retryStrategy: (tries: number) => Math.min(FIRST_RECONNECT_MS * 2 ** Math.min(tries, 10), MAX_RECONNECT_MS),
};

/** One line when Redis goes and one when it is back; a client without a listener for errors would print them itself. */
function connectionWatch({ logger }: RedisFeedDeps): (client: Redis) => Redis {
  let isAway = false;
  return (client) =>
    client
      .on('error', (error: unknown) => {
        if (isAway) return;
        isAway = true;
        logger.warn('feed.away', { detail: messageOf(error) });
      })
      .on('ready', () => {
        if (!isAway) return;
        isAway = false;
        logger.info('feed.back', {});
      });
}

interface SendQueue {
  add(text: string): void;
  readonly pump: () => void;
}

function sendQueue({ metrics }: RedisFeedDeps, client: Redis, channel: string): SendQueue {
  const waiting: string[] = [];
  let inFlight = 0;
  const drop = () => metrics.increment('pin_feed_dropped_total');
  const pump = () => {
    while (inFlight < MAX_IN_FLIGHT && client.status === 'ready') {
      const text = waiting.shift();
      if (text === undefined) return;
      inFlight += 1;
      const answered = () => {
        inFlight -= 1;
        pump();
      };
      // Whether an event without an answer was heard is unknown: it is not repeated.
      client.publish(channel, text).then(answered, () => {
        drop();
        answered();
      });
    }
  };
  return {
    add(text) {
      waiting.push(text);
      if (waiting.length > MAX_WAITING_EVENTS) {
        waiting.shift();
        drop();
      }
      pump();
    },
    pump,
  };
}
