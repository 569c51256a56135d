// One run's own world on the servers: topics, schemas, tables and the channel, under names that nothing else uses.

import pg from 'pg';
import { readConfig } from '../dist/app/config/read-config.js';
import { logOfConfig, registryOfConfig, storeOfConfig, topicsOfConfig } from '../dist/app/connections.js';
import { prepareServers } from '../dist/app/prepare.js';
import { defaultChannelConfig } from '../dist/domain/channel.js';
import { systemClock } from '../dist/runtime/clock.js';
import { systemIds } from '../dist/runtime/ids.js';
import { silentLogger } from '../dist/runtime/logger.js';
import { systemTimers } from '../dist/runtime/timers.js';
import { openCodec } from '../dist/streams/codec.js';
import { deleteTopics } from './kafka.mjs';

export const BACKOFF_MS = 1_000;
const BACKOFF = { kind: 'fixed', baseMs: BACKOFF_MS, capMs: BACKOFF_MS, jitter: 0 };

/** `calls`: how many the provider takes at once. The processor's own limit is twice that. */
export async function openWorld(addresses, { vendorUrl, calls, partitions }) {
  const name = `b${systemIds.uuid().slice(0, 8)}`;
  const variables = {
    ...addresses,
    PIN_TOPIC_PREFIX: `pin.bench.${name}`,
    PIN_DATABASE_SCHEMA: `bench_${name}`,
    PIN_PARTITIONS: String(partitions),
    PIN_CONCURRENCY: String(2 * calls),
    PIN_HTTP_ADDR: '127.0.0.1:0',
    PIN_PROVIDER_VENDOR_ADAPTER: 'http',
    PIN_PROVIDER_VENDOR_URL: vendorUrl,
    PIN_PROVIDER_VENDOR_CAPABILITY: 'key',
    PIN_PROVIDER_VENDOR_CONCURRENCY: String(calls),
  };
  const { config, errors } = readConfig(variables);
  if (config === undefined) throw new RangeError(errors.join('; '));
  const environment = { clock: systemClock, timers: systemTimers, ids: systemIds };
  const log = logOfConfig(environment, config, silentLogger);
  const registry = registryOfConfig(environment, config);
  await prepareServers(config, { log, registry }, silentLogger);
  const store = storeOfConfig(environment, config, silentLogger);
  await store.saveChannel({ ...defaultChannelConfig('email', 'vendor'), backoff: BACKOFF });
  await store.close();
  const topics = topicsOfConfig(config);
  const codec = await openCodec({ registry, clock: systemClock }, topics);
  return { variables, topics, codec, remove: () => remove(variables, topics) };
}

/** So that the next run meets the servers as this one did. */
async function remove({ PIN_DATABASE_URL, PIN_DATABASE_SCHEMA, PIN_KAFKA_BROKERS }, topics) {
  const client = new pg.Client({ connectionString: PIN_DATABASE_URL });
  await client.connect();
  await client.query(`drop schema ${PIN_DATABASE_SCHEMA} cascade`);
  await client.end();
  await deleteTopics(
    PIN_KAFKA_BROKERS,
    topics.contracts.map(({ topic }) => topic),
  );
}
