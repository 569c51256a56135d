// The log on a Kafka cluster, through kafkajs. Producer, consumer, admin and tail each get a client of their own: kafkajs shares committed
// offsets between the consumers of one client, and one that hangs must not take the others with it.
import { systemIds } from '../../runtime/ids.ts';
import type { Log } from '../log.ts';
import { kafkaAdmin } from './admin.ts';
import { askBrokers, type KafkaDeps, type KafkaSettings } from './client.ts';
import { kafkaConsumer } from './consumer.ts';
import { kafkaProducer } from './producer.ts';
import { kafkaTail } from './tail.ts';

export type KafkaLogDeps = Omit<KafkaDeps, 'ids'> & Partial<Pick<KafkaDeps, 'ids'>>;

export function kafkaLog(given: KafkaLogDeps, settings: KafkaSettings): Log {
  const deps: KafkaDeps = { ids: systemIds, ...given };
  return {
    producer: () => kafkaProducer(deps, settings),
    consumer: (options, handlers) => kafkaConsumer(deps, settings, options, handlers),
    admin: () => kafkaAdmin(deps, settings),
    async ping() {
      await askBrokers(deps, settings, (admin) => admin.describeCluster());
    },
    tail: (topics, from, onRecord) => kafkaTail(deps, settings, topics, from, onRecord),
  };
}
