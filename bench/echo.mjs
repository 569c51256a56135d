// The broker's own echo: the same loader and the same reader as ours, with nothing in between but a topic.
import { randomUUID } from 'node:crypto';
import { createTopic, deleteTopics } from './kafka.mjs';
import { openProducer, produce } from './loader.mjs';
import { quantile } from './quantiles.mjs';
import { openReader } from './reader.mjs';
import { sendPaced } from './send-paced.mjs';

const VALUE = Buffer.alloc(300, 'x');

export async function runEcho({ servers, options }, work) {
  const brokers = servers.addresses.PIN_KAFKA_BROKERS;
  const topic = `pin.bench.echo-${randomUUID().slice(0, 8)}`;
  await createTopic(brokers, topic, options.partitions);
  const producer = await openProducer(brokers);
  const reader = await openReader(brokers, topic);
  const sentMs = await sendPaced(work, reader, () => {
    const id = randomUUID();
    produce(producer, topic, { key: Buffer.from(id), value: VALUE });
    return id;
  });
  await Promise.all([producer.disconnect(), reader.stop()]);
  await deleteTopics(brokers, [topic]);
  const arrivedMs = (id) => reader.seen.get(id)?.atMs ?? Number.POSITIVE_INFINITY;
  const delays = [...sentMs].map(([id, atMs]) => arrivedMs(id) - atMs);
  return { p50Ms: quantile(delays, 0.5), p99Ms: quantile(delays, 0.99) };
}
