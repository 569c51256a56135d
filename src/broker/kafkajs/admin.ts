// Topics and lags of a cluster. `create` leaves existing topics as they are; `alter` changes what it is given and
// nothing else, although the protocol call behind it replaces the whole configuration.
import type { Admin } from 'kafkajs';
import { Fault } from '../../runtime/fault.ts';
import { pause, type Timers } from '../../runtime/timers.ts';
import type { LogAdmin, TopicDescription, TopicSpec } from '../log.ts';
import { adminClient } from './admin-client.ts';
import type { KafkaDeps, KafkaSettings } from './client.ts';
import { ConfigResourceTypes, ConfigSource } from './client-package.ts';
import { groupOffsets, offsetsAt } from './group-offsets.ts';

const CREATE_TIMEOUT_MS = 10_000;
const LEADER_PAUSE_MS = 50;
const MAX_LEADER_TRIES = 400;

/** @throws Fault LOG_UNAVAILABLE (retriable) from every call, LOG_TOPIC_UNKNOWN, LOG_SETTINGS_REFUSED */
export async function kafkaAdmin(deps: KafkaDeps, settings: KafkaSettings): Promise<LogAdmin> {
  const { call, close } = await adminClient(deps, settings);
  return {
    describe: (topics) => call('describing topics', (admin) => describeTopics(admin, topics)),
    create: (topics) => call('creating topics', (admin) => createTopics(deps.timers, admin, topics)),
    alter: (topic, config) => call(`altering ${topic}`, (admin) => alterTopic(admin, topic, config)),
    lag: (groupId, topics) =>
      call(`reading the lag of ${groupId}`, (admin) => groupOffsets(admin, groupId, topics)),
    offsetsAt: (topic, atMs) => call(`reading offsets of ${topic}`, (admin) => offsetsAt(admin, topic, atMs)),
    close,
  };
}

async function describeTopics(
  admin: Admin,
  topics: readonly string[],
): Promise<ReadonlyMap<string, TopicDescription | null>> {
  const described = new Map<string, TopicDescription | null>(topics.map((topic) => [topic, null]));
  const existing = new Set(await admin.listTopics());
  const present = [...described.keys()].filter((topic) => existing.has(topic));
  if (present.length === 0) return described;
  const [metadata, configs] = await Promise.all([
    admin.fetchTopicMetadata({ topics: present }),
    configEntries(admin, present),
  ]);
  for (const { name, partitions } of metadata.topics) {
    const config = Object.fromEntries(
      (configs.get(name) ?? []).map(({ configName, configValue }) => [configName, configValue]),
    );
    described.set(name, {
      topic: name,
      partitions: partitions.length,
      replicationFactor: Math.min(...partitions.map(({ replicas }) => replicas.length)),
      config,
      minInSyncReplicas: Number(config['min.insync.replicas'] ?? 1),
    });
  }
  return described;
}

async function createTopics(timers: Timers, admin: Admin, topics: readonly TopicSpec[]): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = topics.filter(({ topic }) => !existing.has(topic));
  for (const { topic, partitions, replicationFactor, config } of missing) {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
    const spec = { topic, numPartitions: partitions, replicationFactor, configEntries };
    await admin.createTopics({ timeout: CREATE_TIMEOUT_MS, waitForLeaders: false, topics: [spec] });
  }
  for (const { topic } of missing) await leaders(timers, admin, topic);
}

/** Waits until a new topic is known to the brokers and led: for a moment after its creation it is not. The caller has the deadline. */
async function leaders(timers: Timers, admin: Admin, topic: string): Promise<void> {
  for (let tries = 0; tries < MAX_LEADER_TRIES; tries += 1) {
    const metadata = await admin.fetchTopicMetadata({ topics: [topic] }).catch(() => null);
    const partitions = metadata?.topics.find(({ name }) => name === topic)?.partitions ?? [];
    if (partitions.length > 0 && partitions.every(({ leader }) => leader >= 0)) return;
    await pause(timers, LEADER_PAUSE_MS);
  }
  throw new Fault('LOG_UNAVAILABLE', `topic ${topic} was created but has no leaders yet`, {
    retriable: true,
  });
}

async function alterTopic(
  admin: Admin,
  topic: string,
  config: Readonly<Record<string, string>>,
): Promise<void> {
  if (!(await admin.listTopics()).includes(topic))
    throw new Fault('LOG_TOPIC_UNKNOWN', `topic ${topic} does not exist`, { retriable: false });
  const own = ((await configEntries(admin, [topic])).get(topic) ?? [])
    .filter(({ configSource }) => configSource === ConfigSource.TOPIC_CONFIG)
    .map(({ configName, configValue }) => [configName, configValue] as const);
  const entries = Object.entries({ ...Object.fromEntries(own), ...config });
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: ConfigResourceTypes.TOPIC,
        name: topic,
        configEntries: entries.map(([name, value]) => ({ name, value })),
      },
    ],
  });
}

async function configEntries(admin: Admin, topics: readonly string[]) {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: ConfigResourceTypes.TOPIC, name })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries: entries }) => [resourceName, entries] as const),
  );
}
