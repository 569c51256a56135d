// Produces as an upstream service does: plain kafkajs, acknowledged by every replica.
import { partitionFor } from '../dist/broker/partitioner.js';
import { encodeRequest } from '../dist/streams/requested.js';
import { kafkaClient } from './kafka.mjs';

const BACKLOG_BATCH = 1_000;
const ALL_REPLICAS = -1;

/** The product's partitioner: the same numbers as kafkajs' default for a tenth of the CPU. */
export async function openProducer(brokers) {
  const producer = kafkaClient(brokers).producer({
    createPartitioner:
      () =>
      ({ partitionMetadata, message }) =>
        partitionFor(message.key, partitionMetadata.length),
    allowAutoTopicCreation: false,
    retry: { retries: 5 },
  });
  await producer.connect();
  return producer;
}

export function messageOf(world, request) {
  const { key, value, headers } = encodeRequest(world.topics, world.codec, request, null);
  return { key, value, headers };
}

/** One record at once; what cannot be sent ends the bench. */
export function produce(producer, topic, message) {
  void producer.send({ topic, acks: ALL_REPLICAS, messages: [message] });
}

/** Everything, in big batches. */
export async function produceBacklog(producer, world, requests) {
  for (let from = 0; from < requests.length; from += BACKLOG_BATCH) {
    const messages = requests.slice(from, from + BACKLOG_BATCH).map((request) => messageOf(world, request));
    await producer.send({ topic: world.topics.requested, acks: ALL_REPLICAS, messages });
  }
}
