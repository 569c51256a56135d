// Asks for a notification on Kafka, from a service in TypeScript with its own kafkajs client.
import { RequestRefused } from '@pin-notifications/producer';
import { openKafkaRequests } from '@pin-notifications/producer/kafka';
import { Kafka } from 'kafkajs';

const { KAFKA_BROKERS = '127.0.0.1:9092', REGISTRY_URL = '', REQUESTED_TOPIC = '', PARTITIONS = '4' } = process.env;

const kafka = new Kafka({ clientId: 'orders', brokers: KAFKA_BROKERS.split(','), logLevel: 1 });
const producer = kafka.producer({ idempotent: true });
await producer.connect();
const requests = await openKafkaRequests({
  producer,
  registryUrl: REGISTRY_URL,
  topic: REQUESTED_TOPIC,
  partitions: Number(PARTITIONS),
});

try {
  const ids = await requests.requestNotification({
    notificationId: process.argv[2], // of your own event: asked for again, nothing is sent twice
    channel: 'email',
    to: ['ada@example.com', 'bob@example.com'],
    body: { subject: 'Your order', text: 'It is on its way.' },
    trigger: 'order-shipped',
    correlationId: 'order-4711',
  });
  console.log(ids.join('\n'));
} catch (error) {
  if (!(error instanceof RequestRefused)) throw error;
  console.error(`nothing was sent: ${error.message} (field ${error.field})`);
  process.exitCode = 1;
} finally {
  await producer.disconnect();
}
