// Plain kafkajs, as another service would use it.
import { Kafka, logLevel } from 'kafkajs';

/** `brokers`: host:port by comma. */
export function kafkaClient(brokers) {
  return new Kafka({ brokers: brokers.split(','), clientId: 'bench', logLevel: logLevel.ERROR });
}

export async function createTopic(brokers, topic, numPartitions) {
  await withAdmin(brokers, (admin) =>
    admin.createTopics({ topics: [{ topic, numPartitions, replicationFactor: 1 }] }),
  );
}

export async function deleteTopics(brokers, topics) {
  await withAdmin(brokers, (admin) => admin.deleteTopics({ topics }));
}

async function withAdmin(brokers, work) {
  const admin = kafkaClient(brokers).admin();
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.disconnect();
  }
}
