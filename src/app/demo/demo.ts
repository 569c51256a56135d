// `pin demo`: real requests through a log, a provider, retry tiers and Postgres to their outcomes, live, in about half a minute.
// It starts what it needs, shows what happens as the table and the topic tell it, and leaves nothing running.

import { type Backoff, defaultChannelConfig } from '../../domain/channel.ts';
import { parseNotificationId } from '../../domain/notification-id.ts';
import { type HttpVendor, startHttpVendor } from '../../lab/http-vendor.ts';
import { Fault, invariant } from '../../runtime/fault.ts';
import { noMetrics } from '../../runtime/metrics.ts';
import { pause } from '../../runtime/timers.ts';
import type { NotificationStore } from '../../state/store.ts';
import { openCodec } from '../../streams/codec.ts';
import { encodeRequest } from '../../streams/requested.ts';
import type { Config } from '../config/config.ts';
import { commandLogger, storeOfConfig, topicsOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { say } from '../output.ts';
import { prepareServers } from '../prepare.ts';
import { assembleProcessor, type ProcessorServers } from '../processor-assembly.ts';
import { showOutcomes } from './demo-outcomes.ts';
import { DEMO_CASES, DEMO_MAX_ATTEMPTS, demoRequest } from './demo-requests.ts';
import { type DemoScreen, demoScreen } from './demo-screen.ts';
import { type DemoServers, startDemoServers } from './demo-servers.ts';
import { type DemoItem, demoLine } from './demo-view.ts';

const DEMO_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 200;
/** Short waits, so that a person sees them end: 1, 2, 4 s. */
const DEMO_BACKOFF: Backoff = { kind: 'exponential', baseMs: 1_000, capMs: 8_000, jitter: 0.1 };

/** @throws StackUnavailable, Fault */
export async function runDemo(environment: Environment, cacheFolder: string): Promise<ExitCode> {
  const startedMs = environment.clock.monotonicMs();
  const elapsed = () => `${((environment.clock.monotonicMs() - startedMs) / 1_000).toFixed(1)} s`;
  const servers = await startDemoServers({
    say: (line) => say(environment, `${elapsed()}  ${line}`),
    environment: environment.variables,
    cacheFolder,
  });
  const { clock, timers } = environment;
  const vendor = await startHttpVendor({ clock, timers }, { capability: 'key' });
  try {
    return await demonstrate(environment, servers, vendor, elapsed);
  } finally {
    await vendor.close();
    await servers.stop();
  }
}

async function demonstrate(
  environment: Environment,
  servers: DemoServers,
  vendor: HttpVendor,
  elapsed: () => string,
): Promise<ExitCode> {
  const config = loadConfig({
    ...environment,
    variables: {
      ...environment.variables,
      ...servers.variables,
      PIN_PROVIDER_DEMO_ADAPTER: 'http',
      PIN_PROVIDER_DEMO_URL: vendor.url,
      PIN_PROVIDER_DEMO_CAPABILITY: 'key',
    },
  });
  const logger = commandLogger(environment, config);
  const opened: ProcessorServers = {
    log: servers.log(environment, config, logger),
    registry: servers.registry(environment, config),
    store: storeOfConfig(environment, config, logger),
  };
  await prepareServers(config, opened, logger);
  await configureChannels(opened.store);
  const running = await assembleProcessor(environment, config, opened, { logger, metrics: noMetrics });
  say(environment, `${elapsed()}  the processor runs; vendor at ${vendor.url}`);
  try {
    const items = await produceRequests(environment, config, opened, vendor);
    const screen = demoScreen(environment, elapsed);
    await watchUntilFinal(environment, opened.store, items, screen);
    await showOutcomes(environment, { config, servers: opened, items });
    say(environment, `${elapsed()}  ${vendor.ledger.messages.length} messages delivered, each once`);
    return EXIT.ok;
  } finally {
    await running.stop();
    await opened.store.close();
  }
}

async function configureChannels(store: NotificationStore): Promise<void> {
  for (const channel of new Set(DEMO_CASES.map((one) => one.channel)))
    await store.saveChannel({
      ...defaultChannelConfig(channel, 'demo'),
      maxAttempts: DEMO_MAX_ATTEMPTS,
      backoff: DEMO_BACKOFF,
    });
}

async function produceRequests(
  { clock, ids }: Environment,
  config: Config,
  { log, registry }: ProcessorServers,
  vendor: HttpVendor,
): Promise<readonly DemoItem[]> {
  const topics = topicsOfConfig(config);
  const codec = await openCodec({ registry, clock }, topics);
  const producer = await log.producer();
  const items = DEMO_CASES.map((demo) => {
    const id = parseNotificationId(ids.uuid());
    invariant(id !== null, 'a fresh uuid is an id');
    vendor.plan(id, demo.answers);
    return { id, demo };
  });
  await Promise.all(
    items.map(({ id, demo }) =>
      producer.send(encodeRequest(topics, codec, demoRequest(demo, id, clock.nowMs()), null)),
    ),
  );
  await producer.close();
  return items;
}

/** @throws Fault DEMO_LIMIT when something is not final in time, INTERRUPTED at Ctrl-C */
async function watchUntilFinal(
  { clock, timers, signal }: Environment,
  store: NotificationStore,
  items: readonly DemoItem[],
  screen: DemoScreen,
): Promise<void> {
  const limitMs = clock.monotonicMs() + DEMO_LIMIT_MS;
  while (clock.monotonicMs() < limitMs) {
    const { found, nowMs } = await store.load(items.map(({ id }) => id));
    const rows = items.map((item) => ({ item, row: found.get(item.id)?.row ?? null }));
    screen.show(rows.map(({ item, row }) => demoLine(item, row, nowMs)));
    if (rows.every(({ row }) => row !== null && row.final !== null)) return;
    await pause(timers, LOOK_EVERY_MS, signal);
    if (signal.aborted) throw new Fault('INTERRUPTED', 'interrupted', { retriable: false });
  }
  throw new Fault('DEMO_LIMIT', `not everything was final within ${DEMO_LIMIT_MS / 1_000} s`, {
    retriable: false,
  });
}
