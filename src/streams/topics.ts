// Every topic by name, with what it carries and how it is kept: one value made from three settings. It never talks to a broker.
import type { TopicSpec } from '../broker/log.ts';
import type { Tier } from '../domain/tiers.ts';
import { Fault } from '../runtime/fault.ts';
import type { SchemaName } from './schema-files.ts';

export const DEFAULT_PREFIX = 'pin.notifications';
export const DEFAULT_CONSUMER = 'notification-delivery';
const DEFAULT_GROUP = 'pin.notification-processor';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const DEFAULT_TIER_DELAYS_MS: readonly number[] = [
  SECOND_MS,
  5 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
  4 * MINUTE_MS,
  8 * MINUTE_MS,
  15 * MINUTE_MS,
];

const INPUT_RETENTION_MS = 7 * DAY_MS;
const OUTPUT_RETENTION_MS = 30 * DAY_MS;
/** A wake-up must outlive its delay and an outage of this length. */
export const OUTAGE_ALLOWANCE_MS = 3 * DAY_MS;

/** Other clients compress as they like, and our client reads only gzip: the broker unpacks what comes in. */
const WRITTEN_BY_OTHERS = { 'compression.type': 'uncompressed' } as const;

const MEBIBYTE = 1024 * 1024;
/** Above the decoder's own cap, so that a value over the cap arrives and gets its answer. */
const REQUESTED_MESSAGE_BYTES = 2 * MEBIBYTE;
/** Room for any accepted input plus our headers, also when the input came in a compressed batch. */
export const DEAD_LETTER_MESSAGE_BYTES = 8 * MEBIBYTE;

export interface RetryTier extends Tier {
  readonly topic: string;
}

export type TopicRole = 'requested' | 'webhooks' | 'commands' | 'retry' | 'dispatched' | 'dlq';

export interface TopicContract {
  readonly role: TopicRole;
  readonly topic: string;
  /** null: original bytes of another topic. */
  readonly schema: SchemaName | null;
  /** `<topic>-value`; null where there is no schema. */
  readonly subject: string | null;
  /** Co-partitioned topics have equal partition counts: partition i of all of them is task i. */
  readonly isCopartitioned: boolean;
  readonly retentionMs: number;
  /** Topic configuration without retention. */
  readonly config: Readonly<Record<string, string>>;
}

export interface Topics {
  readonly prefix: string;
  readonly consumer: string;
  readonly groupId: string;
  readonly requested: string;
  readonly webhooks: string;
  readonly commands: string;
  readonly dispatched: string;
  /** Only the default consumer writes `dispatched`. */
  readonly writesDispatched: boolean;
  readonly dlq: string;
  /** Shortest delay first. */
  readonly tiers: readonly RetryTier[];
  /** The co-partitioned sources of a task: requested, webhooks, commands, every tier. */
  readonly inputs: readonly string[];
  readonly contracts: readonly TopicContract[];
}

export type TopicOverrides = Partial<
  Readonly<Record<'requested' | 'webhooks' | 'commands' | 'dispatched' | 'dlq', string>>
>;

export interface TopicSettings {
  readonly prefix?: string;
  readonly consumer?: string;
  readonly tierDelaysMs?: readonly number[];
  readonly overrides?: TopicOverrides;
}

/**
 * All topics of one consumer. A consumer other than the default has its own retry tiers, dead letters and group.
 * @throws Fault TOPICS_UNSAFE when a name or the tiers cannot be used
 */
export function topicsOf(settings: TopicSettings = {}): Topics {
  const {
    prefix = DEFAULT_PREFIX,
    consumer = DEFAULT_CONSUMER,
    tierDelaysMs = DEFAULT_TIER_DELAYS_MS,
  } = settings;
  const isDefault = consumer === DEFAULT_CONSUMER;
  const own = isDefault ? prefix : `${prefix}.${consumer}`;
  const names = {
    requested: `${prefix}.requested.v1`,
    webhooks: `${prefix}.webhooks.v1`,
    commands: `${prefix}.commands.v1`,
    dispatched: `${prefix}.dispatched.v1`,
    dlq: `${own}.requested.v1.dlq`,
    ...settings.overrides,
  };
  const tiers = tiersOf(`${own}.retry`, tierDelaysMs);
  const topics: Topics = {
    prefix,
    consumer,
    groupId: groupOf(prefix, isDefault ? null : consumer),
    ...names,
    writesDispatched: isDefault,
    tiers,
    inputs: [names.requested, names.webhooks, names.commands, ...tiers.map((tier) => tier.topic)],
    contracts: contractsOf(names, tiers),
  };
  refuseUnsafeNames(topics);
  return topics;
}

/** Two installations on one cluster, or two consumers of one installation, never share a group. */
function groupOf(prefix: string, consumer: string | null): string {
  const group = prefix === DEFAULT_PREFIX ? DEFAULT_GROUP : `${DEFAULT_GROUP}.${prefix}`;
  return consumer === null ? group : `${group}.${consumer}`;
}

/** What a broker needs to know to create the topics. Every topic gets `partitions`; only the co-partitioned ones must have it. */
export function topicSpecs(
  topics: Topics,
  size: {
    readonly partitions: number;
    readonly replicationFactor: number;
    readonly minInSyncReplicas: number;
  },
): readonly TopicSpec[] {
  return topics.contracts.map((contract) => ({
    topic: contract.topic,
    partitions: size.partitions,
    replicationFactor: size.replicationFactor,
    config: {
      'cleanup.policy': 'delete',
      'retention.ms': String(contract.retentionMs),
      'min.insync.replicas': String(size.minInSyncReplicas),
      ...contract.config,
    },
  }));
}

/** The tier that a topic is; null for every other topic. */
export function tierOfTopic(topics: Topics, topic: string): RetryTier | null {
  return topics.tiers.find((tier) => tier.topic === topic) ?? null;
}

/** `1s`, `90s`, `15m`, `2h`: the largest unit that leaves a whole number. */
export function tierName(delayMs: number): string {
  if (delayMs % HOUR_MS === 0) return `${delayMs / HOUR_MS}h`;
  if (delayMs % MINUTE_MS === 0) return `${delayMs / MINUTE_MS}m`;
  return delayMs % SECOND_MS === 0 ? `${delayMs / SECOND_MS}s` : `${delayMs}ms`;
}

const MAX_TIERS = 32;

function tiersOf(prefix: string, delaysMs: readonly number[]): readonly RetryTier[] {
  const sorted = [...new Set(delaysMs)].sort((a, b) => a - b);
  const usable = sorted.every((delayMs) => Number.isSafeInteger(delayMs) && delayMs > 0);
  if (!usable || sorted.length === 0 || sorted.length > MAX_TIERS || sorted.length !== delaysMs.length) {
    throw unsafe(`retry tiers must be 1 to ${MAX_TIERS} different whole delays above 0 ms`);
  }
  return sorted.map((delayMs) => ({
    name: tierName(delayMs),
    delayMs,
    topic: `${prefix}.${tierName(delayMs)}`,
  }));
}

function contractsOf(
  names: Readonly<Record<'requested' | 'webhooks' | 'commands' | 'dispatched' | 'dlq', string>>,
  tiers: readonly RetryTier[],
): readonly TopicContract[] {
  const input = { isCopartitioned: true, retentionMs: INPUT_RETENTION_MS, config: {} };
  const foreign = { ...input, config: WRITTEN_BY_OTHERS };
  const output = { isCopartitioned: false, retentionMs: OUTPUT_RETENTION_MS, config: {} };
  const carrying = (role: TopicRole, topic: string, schema: SchemaName) => ({
    role,
    topic,
    schema,
    subject: `${topic}-value`,
  });
  return [
    {
      ...carrying('requested', names.requested, 'notification-requested'),
      ...foreign,
      config: { ...WRITTEN_BY_OTHERS, 'max.message.bytes': String(REQUESTED_MESSAGE_BYTES) },
    },
    { ...carrying('webhooks', names.webhooks, 'provider-webhook'), ...foreign },
    { ...carrying('commands', names.commands, 'notification-command'), ...foreign },
    ...tiers.map(({ topic, delayMs }) => ({
      ...carrying('retry', topic, 'retry-due'),
      ...input,
      retentionMs: Math.max(INPUT_RETENTION_MS, delayMs + OUTAGE_ALLOWANCE_MS),
    })),
    { ...carrying('dispatched', names.dispatched, 'notification-dispatched-event'), ...output },
    {
      role: 'dlq',
      topic: names.dlq,
      schema: null,
      subject: null,
      ...output,
      config: { 'max.message.bytes': String(DEAD_LETTER_MESSAGE_BYTES) },
    },
  ];
}

/** Kafka's own limit and alphabet, without `_`: dots and underscores collide in its metric names. */
const TOPIC_NAME = /^[a-zA-Z0-9.-]{1,249}$/;

function refuseUnsafeNames(topics: Topics): void {
  const all = topics.contracts.map((contract) => contract.topic);
  const bad = all.find((topic) => !TOPIC_NAME.test(topic));
  if (bad !== undefined)
    throw unsafe(`topic name ${JSON.stringify(bad)}: use letters, digits, dots and dashes, at most 249`);
  if (new Set(all).size !== all.length) throw unsafe('two topics have the same name');
}

function unsafe(sentence: string): Fault {
  return new Fault('TOPICS_UNSAFE', sentence, { retriable: false });
}
