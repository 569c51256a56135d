// The feed on the real Redis: it keeps the contract, tells other processes, and survives the loss of its server.
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { NotificationEvent } from '../../../src/domain/notification-event.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import { systemIds } from '../../../src/runtime/ids.ts';
import type { Logger } from '../../../src/runtime/logger.ts';
import { noMetrics } from '../../../src/runtime/metrics.ts';
import type { NotificationFeed } from '../../../src/state/notification-feed.ts';
import { redisFeed } from '../../../src/state/redis-feed.ts';
import { anEvent, feedContract } from '../../contract/state/feed-contract.ts';
import { stackAddresses, stackIsOurs, whileDown } from '../../support/stack-servers.ts';
import { until } from '../../support/until.ts';

const channel = `test.${randomUUID()}.changes`;
const url = stackAddresses().redisUrl ?? '';
const opened: NotificationFeed[] = [];
const lines: string[] = [];
const note = (event: string) => void lines.push(event);
const logger: Logger = { debug: note, info: note, warn: note, error: note };
let dropped = 0;
const countDrop = () => {
  dropped += 1;
};
const metrics = { ...noMetrics, increment: countDrop };

function open(): NotificationFeed {
  const feed = redisFeed({ ids: systemIds, logger, metrics }, { url, channel });
  opened.push(feed);
  return feed;
}

/** Two feeds that hear each other by now: nobody is told when a subscription begins. */
async function pair(): Promise<{ mine: NotificationFeed; theirs: NotificationFeed }> {
  const feeds = { mine: open(), theirs: open() };
  await hearing(feeds.mine, feeds.theirs);
  await hearing(feeds.theirs, feeds.mine);
  return feeds;
}

/** Asks until the other hears. */
async function hearing(from: NotificationFeed, to: NotificationFeed, limitMs?: number): Promise<void> {
  let hasHeard = false;
  const stop = to.subscribe(() => {
    hasHeard = true;
  });
  const ask = () => {
    from.publish(anEvent(0));
    return Promise.resolve(hasHeard ? true : null);
  };
  await until(() => 'nothing was heard', ask, limitMs);
  stop();
}

afterEach(async () => {
  for (const feed of opened.splice(0)) await feed.close();
  lines.length = 0;
  dropped = 0;
});

test('a Redis is there for these tests', () => {
  invariant(url !== '', 'PIN_REDIS_URL is not set');
});

feedContract('the feed over Redis', {
  open: async () => (await pair()).mine,
  settled: () => Promise.resolve(),
});

test('what one process publishes another hears, whole and in order', async () => {
  const { mine, theirs } = await pair();
  const heard: NotificationEvent[] = [];
  theirs.subscribe((event) => {
    if (event.version > 0) heard.push(event);
  });
  const { id } = anEvent(1);
  const events: NotificationEvent[] = [
    ...Array.from({ length: 400 }, (_, n) => anEvent(n + 1)),
    { kind: 'inbox-arrived', id, tenantId: 'tenant "1"', userId: 'ada 🚀', version: 401 },
    { kind: 'inbox-read', id, tenantId: null, userId: 'ada', version: 402 },
  ];
  for (const event of events) mine.publish(event);
  await until(
    () => `${heard.length} events`,
    () => Promise.resolve(heard.length >= events.length ? true : null),
  );
  expect(heard).toEqual(events);
  expect(dropped).toBe(0);
});

test('another channel hears nothing', async () => {
  const { mine, theirs } = await pair();
  const apart = redisFeed({ ids: systemIds, logger, metrics }, { url, channel: `${channel}.apart` });
  opened.push(apart);
  const heard: NotificationEvent[] = [];
  apart.subscribe((event) => void heard.push(event));
  await hearing(mine, theirs);
  expect(heard).toEqual([]);
});

test.runIf(stackIsOurs())(
  'a Redis that is gone costs nothing but the news: publishers go on, what waits is bounded, and it is heard again afterwards',
  { timeout: 60_000 },
  async () => {
    const { mine, theirs } = await pair();
    const [own, others]: NotificationEvent[][] = [[], []];
    // What the two asked each other may still be on its way.
    mine.subscribe((event) => void (event.version === 0 || own?.push(event)));
    theirs.subscribe((event) => void (event.version === 0 || others?.push(event)));
    await whileDown('redis', 'kill', async () => {
      await until(
        () => lines.join(),
        () => Promise.resolve(lines.includes('feed.away') ? true : null),
      );
      const startedMs = performance.now();
      for (let n = 1; n <= 5_000; n += 1) mine.publish(anEvent(n));
      expect(performance.now() - startedMs).toBeLessThan(1_000);
      expect(own).toHaveLength(5_000);
      expect(dropped).toBeGreaterThanOrEqual(4_000);
    });
    await hearing(mine, theirs, 30_000);
    await hearing(theirs, mine, 30_000);
    expect(lines).toContain('feed.back');
    mine.publish(anEvent(9_999));
    await until('the last event', () => (others?.at(-1)?.version === 9_999 ? true : null));
    const versions = others?.map(({ version }) => version) ?? [];
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  },
);
