// The broker's own echo: the same loader and the same reader as ours, with nothing in between but a topic.
import { randomUUID } from 'node:crypto';
import { createTopic, deleteTopics } from './kafka.mjs';
import { openProducer, produce } from './loader.mjs';
import { paced } from './pace.mjs';
import { quantile } from './quantiles.mjs';
import { openReader } from './reader.mjs';

const SILENCE_LIMIT_MS = 10_000;
const VALUE = Buffer.alloc(300, 'x');

export async function runEcho({ servers, options }, { count, warmUp, perSecond }) {
  const brokers = servers.addresses.PIN_KAFKA_BROKERS;
  const topic = `pin.bench.echo-${randomUUID().slice(0, 8)}`;
  await createTopic(brokers, topic, options.partitions);
  const producer = await openProducer(brokers);
  const reader = await openReader(brokers, topic);
  const sent = new Map();
  await paced(warmUp + count, perSecond, (index) => {
    const id = randomUUID();
    if (index >= warmUp) sent.set(id, performance.now());
    produce(producer, topic, { key: Buffer.from(id), value: VALUE });
  });
  await reader.until(warmUp + count, SILENCE_LIMIT_MS);
  await Promise.all([producer.disconnect(), reader.stop()]);
  await deleteTopics(brokers, [topic]);
  const delays = [...sent].map(
    ([id, atMs]) => (reader.seen.get(id)?.atMs ?? Number.POSITIVE_INFINITY) - atMs,
  );
  return { p50Ms: quantile(delays, 0.5), p99Ms: quantile(delays, 0.99) };
}
