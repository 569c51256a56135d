// Asks on requested.v1: Avro by the registered schema, the id as the key, the partition of that key, CloudEvents headers. The producer is
// the caller's own client; nothing is retried here, and no schema is registered.
import { Buffer } from 'node:buffer';
import { partitionFor } from '../../broker/partitioner.ts';
import { Fault } from '../../runtime/fault.ts';
import { systemTimers } from '../../runtime/timers.ts';
import { confluentRegistry } from '../../streams/confluent-registry.ts';
import { encodeRequest } from '../../streams/requested.ts';
import { readSchemaFamily } from '../../streams/schema-files.ts';
import { typeOf } from '../../streams/value-reader.ts';
import { valueWriter } from '../../streams/value-writer.ts';
import type { NewNotification } from './new-notification.ts';
import { newRequests } from './new-requests.ts';

export interface KafkaMessage {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly partition: number;
  readonly headers: Record<string, Buffer>;
}

/** A producer of the package `kafkajs`; anything with the same `send` will do. It should be idempotent. */
export interface KafkaProducer {
  send(record: { topic: string; acks: -1; messages: KafkaMessage[] }): Promise<unknown>;
}

export interface KafkaOptions {
  readonly producer: KafkaProducer;
  /** Of a Confluent-compatible registry; user and password in it are sent as Basic authentication. */
  readonly registryUrl: string;
  /** Of the topic; it is fixed (PIN_PARTITIONS), so it is said and not asked. */
  readonly partitions: number;
  /** `pin.notifications.requested.v1` by default. */
  readonly topic?: string;
}

export interface KafkaRequests {
  /**
   * The ids, once every in-sync replica has the records. `traceparent`: W3C trace context.
   * @throws RequestRefused before anything was sent; what the producer throws
   */
  requestNotification(asked: NewNotification, traceparent?: string): Promise<readonly string[]>;
}

const DEFAULT_TOPIC = 'pin.notifications.requested.v1';

/** @throws Fault SCHEMAS_NOT_REGISTERED, REGISTRY_UNAVAILABLE (retriable) */
export async function openKafkaRequests(options: KafkaOptions): Promise<KafkaRequests> {
  const { producer, registryUrl, partitions, topic = DEFAULT_TOPIC } = options;
  const { released } = readSchemaFamily('notification-requested');
  const schema = released.at(-1) ?? '';
  const registry = confluentRegistry({ timers: systemTimers, url: registryUrl });
  const schemaId = await registry.idOf(`${topic}-value`, schema);
  if (schemaId === null) {
    const sentence = `the registry does not know this schema under ${topic}-value: run \`pin schemas push\``;
    throw new Fault('SCHEMAS_NOT_REGISTERED', sentence, { retriable: false });
  }
  const [type, write] = [typeOf(schema), valueWriter()];
  const codec = { encode: (_: string, value: object) => write(type, schemaId, value) };
  return {
    async requestNotification(asked, traceparent) {
      const { requests } = newRequests(asked);
      const messages = requests.map((request): KafkaMessage => {
        const { key, value, headers } = encodeRequest(
          { requested: topic },
          codec,
          request,
          traceparent ?? null,
        );
        const keyBytes = Buffer.from(key ?? []);
        return {
          key: keyBytes,
          value: Buffer.from(value ?? []),
          partition: partitionFor(keyBytes, partitions),
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, bytes]) => [name, Buffer.from(bytes)]),
          ),
        };
      });
      await producer.send({ topic, acks: -1, messages });
      return requests.map(({ notificationId }) => notificationId);
    },
  };
}
