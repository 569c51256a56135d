// Which images run, and what each is told. The same tags as in docker-compose.yml (a test compares them).
import { registryDatabase } from './native-registry.ts';

export const IMAGES = {
  kafka: 'apache/kafka:4.4.0',
  registry: 'apicurio/apicurio-registry-mem:2.6.13.Final',
  postgres: 'postgres:17-alpine',
  redis: 'redis:7-alpine',
} as const;

/** The port each server listens on inside its container. */
export const INNER_PORTS = { kafka: 9092, registry: 8080, postgres: 5432, redis: 6379 } as const;

/** `advertised` is how clients outside the container reach the broker, `host:port`. */
export function kafkaEnvironment(advertised: string): Record<string, string> {
  return {
    KAFKA_NODE_ID: '1',
    KAFKA_PROCESS_ROLES: 'broker,controller',
    KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
    KAFKA_LISTENERS: `PLAINTEXT://:${INNER_PORTS.kafka},CONTROLLER://localhost:9093`,
    KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${advertised}`,
    KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
    KAFKA_INTER_BROKER_LISTENER_NAME: 'PLAINTEXT',
    KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
    KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '4',
    KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
    KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: '4',
    KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: '1',
    KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
    KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
    KAFKA_HEAP_OPTS: '-Xmx400m',
  };
}

/** In a file of the container, so that a restarted registry knows its schemas. */
export function registryEnvironment(): Record<string, string> {
  return { REGISTRY_DATASOURCE_URL: registryDatabase('/tmp/registry') };
}

export function postgresEnvironment(password: string): Record<string, string> {
  return { POSTGRES_USER: 'pin', POSTGRES_DB: 'postgres', POSTGRES_PASSWORD: password };
}

export const REDIS_COMMAND = ['redis-server', '--save', '', '--appendonly', 'yes'];
