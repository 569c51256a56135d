// Plain kafkajs, as another service would use it, but for the guard that keeps its idle clients from turning in circles: the bench
// shares two cores with what it measures.
import { Kafka, logLevel } from 'kafkajs';
import { calmRequestQueue } from '../dist/broker/kafkajs/idle-guard.js';
import { kafkaLog } from '../dist/broker/kafkajs/kafka-log.js';
import { systemClock } from '../dist/runtime/clock.js';
import { systemIds } from '../dist/runtime/ids.js';
import { silentLogger } from '../dist/runtime/logger.js';
import { systemTimers } from '../dist/runtime/timers.js';

/** `brokers`: host:port by comma. Silent: what it cannot mend by itself fails the bench. */
export function kafkaClient(brokers) {
  calmRequestQueue(silentLogger);
  return new Kafka({ brokers: brokers.split(','), clientId: 'bench', logLevel: logLevel.NOTHING });
}

/** By the product's own admin, which waits until the brokers know the topic. */
export async function createTopic(brokers, topic, partitions) {
  const deps = { clock: systemClock, timers: systemTimers, ids: systemIds, logger: silentLogger };
  const admin = await kafkaLog(deps, { brokers: brokers.split(','), clientId: 'bench' }).admin();
  try {
    await admin.create([{ topic, partitions, replicationFactor: 1, config: {} }]);
  } finally {
    await admin.close();
  }
}

/** So that the next run meets the brokers as this one did; topics that stay are no reason to fail. */
export async function deleteTopics(brokers, topics) {
  const admin = kafkaClient(brokers).admin();
  try {
    await admin.connect();
    await admin.deleteTopics({ topics });
  } catch (error) {
    process.stderr.write(`the topics of this run stay: ${error.message}\n`);
  } finally {
    await admin.disconnect();
  }
}
