// Settings that are each right and wrong together, as far as no server has to be asked. The other ones are start checks (src/ops).
import { providerSettingsMistakes } from '../../providers/open-providers.ts';
import type { Config } from './config.ts';

/** One sentence for each contradiction. */
export function contradictions(config: Config): readonly string[] {
  return [
    ...saslContradictions(config.kafka),
    ...topicContradictions(config.topics),
    ...providerSettingsMistakes(config.providers),
    ...relayContradictions(config),
  ];
}

function saslContradictions(kafka: Config['kafka']): readonly string[] {
  const credentials = [kafka.saslUsername, kafka.saslPassword];
  if (kafka.saslMechanism === null) {
    const isSet = credentials.some((credential) => credential !== null);
    return isSet ? ['PIN_KAFKA_SASL_MECHANISM must be set: a SASL user or password is'] : [];
  }
  const isComplete = credentials.every((credential) => credential !== null);
  return isComplete
    ? []
    : ['PIN_KAFKA_SASL_USERNAME and PIN_KAFKA_SASL_PASSWORD must be set with a SASL mechanism'];
}

function topicContradictions(topics: Config['topics']): readonly string[] {
  if (topics.minInSyncReplicas <= topics.replicationFactor) return [];
  return [
    `PIN_MIN_INSYNC_REPLICAS (${topics.minInSyncReplicas}) is larger than PIN_REPLICATION_FACTOR (${topics.replicationFactor}): nothing could be written`,
  ];
}

function relayContradictions({ relay, relayDatabases }: Config): readonly string[] {
  const names = (relay.sources ?? []).flatMap(({ database }) => (database === null ? [] : [database]));
  return [...new Set(names)]
    .filter((name) => !relayDatabases.has(name))
    .map(
      (name) =>
        `PIN_RELAY_SCHEMAS names a database ${name}, and PIN_RELAY_DATABASE_URL_${name.toUpperCase()} is not set`,
    );
}
