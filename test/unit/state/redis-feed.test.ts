// The feed when there is no Redis at all: nothing is connected here, and nobody notices but the counter.
import { afterEach, expect, test } from 'vitest';
import type { NotificationEvent } from '../../../src/domain/notification-event.ts';
import { systemIds } from '../../../src/runtime/ids.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { noMetrics } from '../../../src/runtime/metrics.ts';
import type { NotificationFeed } from '../../../src/state/notification-feed.ts';
import { MAX_WAITING_EVENTS, redisFeed } from '../../../src/state/redis-feed.ts';
import { anEvent } from '../../contract/state/feed-contract.ts';

let feed: NotificationFeed | null = null;
afterEach(() => feed?.close());

test('own listeners hear everything, and what is beyond the limit is dropped and counted', () => {
  const counted: string[] = [];
  const metrics = { ...noMetrics, increment: (name: string) => void counted.push(name) };
  const settings = { url: 'redis://127.0.0.1:1', channel: 'nowhere' };
  feed = redisFeed({ ids: systemIds, logger: silentLogger, metrics }, settings);
  const heard: NotificationEvent[] = [];
  feed.subscribe((event) => void heard.push(event));
  const published = MAX_WAITING_EVENTS + 250;
  for (let n = 0; n < published; n += 1) feed.publish(anEvent(n));
  expect(heard).toHaveLength(published);
  expect(counted).toEqual(Array.from({ length: 250 }, () => 'pin_feed_dropped_total'));
});
