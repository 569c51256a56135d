// Settings that would lose, double or delay notifications, found before the first record is read. Pure: facts in, sentences out;
// an empty list means that it is safe to start.
import type { TopicDescription } from '../broker/log.ts';
import { formatDuration } from '../runtime/duration.ts';
import { OUTAGE_ALLOWANCE_MS, type Topics } from '../streams/topics.ts';

export interface StartFacts {
  readonly isProduction: boolean;
  readonly topics: Topics;
  /** null: the topic does not exist. */
  readonly descriptions: ReadonlyMap<string, TopicDescription | null>;
  /** PIN_PARTITIONS. */
  readonly configuredPartitions: number;
  /** What the tables were made for; null: nothing was ever stored. */
  readonly storedPartitions: number | null;
  readonly providers: readonly { readonly providerKey: string; readonly deadlineMs: number }[];
  readonly leaseMs: number;
  readonly stopLimitMs: number;
  readonly watchdogMs: number;
  /** Our clock minus the one of Postgres. */
  readonly clockSkewMs: number;
  readonly maxClockSkewMs: number;
  /** How long what tells a repeat from a new input is kept, by the name of its setting. */
  readonly memories: readonly {
    readonly setting: string;
    readonly keepMs: number;
    readonly otherwise: string;
  }[];
}

/** The longest that one try of a group commit may take before the store calls it lost. */
const FLUSH_LIMIT_MS = 10_000;
/** What a lease must have beyond the flush and the call: time to commit the answer. */
const LEASE_RESERVE_MS = 10_000;
const MIN_REPLICATION = 3;
const MIN_IN_SYNC = 2;
const UNLIMITED_RETENTION = -1;

/** One sentence for each unsafe setting. */
export function startChecks(facts: StartFacts): readonly string[] {
  return [
    ...missingTopics(facts),
    ...partitionCounts(facts),
    ...tierRetention(facts),
    ...tierCompaction(facts),
    ...leases(facts),
    ...stopLimits(facts),
    ...watchdog(facts),
    ...replayRetention(facts),
    ...clockSkew(facts),
    ...(facts.isProduction ? replication(facts) : []),
  ];
}

function missingTopics({ topics, descriptions }: StartFacts): readonly string[] {
  const missing = topics.contracts
    .map((contract) => contract.topic)
    .filter((topic) => (descriptions.get(topic) ?? null) === null);
  if (missing.length === 0) return [];
  return [
    `${missing.length === 1 ? 'a topic is' : 'topics are'} missing: ${missing.join(', ')}; run \`pin topics apply\``,
  ];
}

function partitionCounts(facts: StartFacts): readonly string[] {
  const { topics, descriptions, storedPartitions, configuredPartitions } = facts;
  const inputs = topics.inputs.flatMap((topic) => descriptions.get(topic) ?? []);
  const counts = new Set(inputs.map((input) => input.partitions));
  if (counts.size > 1) {
    const listed = inputs.map((input) => `${input.topic} ${input.partitions}`).join(', ');
    return [
      `the input topics have unequal partition counts (${listed}): partition i of all of them must be one task`,
    ];
  }
  const [count] = counts;
  if (count === undefined) return [];
  if (count !== configuredPartitions)
    return [
      `the input topics have ${count} partitions, and PIN_PARTITIONS is ${configuredPartitions}: every key would look misplaced; set PIN_PARTITIONS=${count}`,
    ];
  if (storedPartitions === null || count === storedPartitions) return [];
  return [
    `the input topics have ${count} partitions, but the tables were filled with ${storedPartitions}: keys would move to other tasks while their wake-ups stay`,
  ];
}

function tierRetention({ topics, descriptions }: StartFacts): readonly string[] {
  return topics.tiers.flatMap((tier) => {
    const retentionMs = Number(descriptions.get(tier.topic)?.config['retention.ms'] ?? UNLIMITED_RETENTION);
    const neededMs = tier.delayMs + OUTAGE_ALLOWANCE_MS;
    if (retentionMs === UNLIMITED_RETENTION || retentionMs >= neededMs) return [];
    return [
      `${tier.topic} keeps records for ${formatDuration(retentionMs)}, shorter than its delay and an outage of ${formatDuration(OUTAGE_ALLOWANCE_MS)}: wake-ups would be deleted unread; run \`pin topics apply\``,
    ];
  });
}

function tierCompaction({ topics, descriptions }: StartFacts): readonly string[] {
  return topics.tiers
    .filter((tier) => descriptions.get(tier.topic)?.config['cleanup.policy']?.includes('compact') ?? false)
    .map(
      (tier) =>
        `${tier.topic} is compacted: a wake-up could vanish before it is read; run \`pin topics apply\``,
    );
}

function leases({ providers, leaseMs }: StartFacts): readonly string[] {
  return providers.flatMap(({ providerKey, deadlineMs }) => {
    const neededMs = FLUSH_LIMIT_MS + deadlineMs + LEASE_RESERVE_MS;
    if (leaseMs >= neededMs) return [];
    return [
      `PIN_LEASE (${formatDuration(leaseMs)}) is too short for provider ${providerKey}: flush ${formatDuration(FLUSH_LIMIT_MS)} + deadline ${formatDuration(deadlineMs)} + ${formatDuration(LEASE_RESERVE_MS)} = ${formatDuration(neededMs)}; another process could call again while the call runs`,
    ];
  });
}

function stopLimits({ providers, stopLimitMs }: StartFacts): readonly string[] {
  return providers
    .filter(({ deadlineMs }) => stopLimitMs < deadlineMs)
    .map(
      ({ providerKey, deadlineMs }) =>
        `PIN_STOP_LIMIT (${formatDuration(stopLimitMs)}) is shorter than the deadline of provider ${providerKey} (${formatDuration(deadlineMs)}): a stop would leave calls without a recorded answer`,
    );
}

function watchdog({ watchdogMs, leaseMs }: StartFacts): readonly string[] {
  if (watchdogMs >= leaseMs) return [];
  return [
    `PIN_WATCHDOG (${formatDuration(watchdogMs)}) is shorter than PIN_LEASE (${formatDuration(leaseMs)}): a call that takes all of its time would look stuck and end the process`,
  ];
}

/** Whatever a topic still holds may be read again: what knows it again must outlive it. */
function replayRetention({ descriptions, memories }: StartFacts): readonly string[] {
  const kept = [...descriptions].flatMap(([topic, description]) => {
    const retentionMs = description?.config['retention.ms'];
    return retentionMs === undefined ? [] : [{ topic, retentionMs: asLimit(Number(retentionMs)) }];
  });
  const longest = kept.reduce((top, one) => (one.retentionMs > top.retentionMs ? one : top), NOTHING_KEPT);
  return memories
    .filter(({ keepMs }) => keepMs < longest.retentionMs)
    .map(
      ({ setting, keepMs, otherwise }) =>
        `${setting} (${formatDuration(keepMs)}) is shorter than ${longest.topic} keeps its records (${keptWords(longest.retentionMs)}): ${otherwise}`,
    );
}

const NOTHING_KEPT = { topic: '', retentionMs: 0 };
const asLimit = (retentionMs: number) =>
  retentionMs === UNLIMITED_RETENTION ? Number.POSITIVE_INFINITY : retentionMs;
const keptWords = (retentionMs: number) =>
  retentionMs === Number.POSITIVE_INFINITY ? 'for ever' : formatDuration(retentionMs);

function clockSkew({ clockSkewMs, maxClockSkewMs }: StartFacts): readonly string[] {
  if (Math.abs(clockSkewMs) <= maxClockSkewMs) return [];
  const direction = clockSkewMs > 0 ? 'ahead of' : 'behind';
  return [
    `the clock of this machine is ${formatDuration(Math.round(Math.abs(clockSkewMs)))} ${direction} the one of Postgres, more than PIN_MAX_CLOCK_SKEW (${formatDuration(maxClockSkewMs)}): set the time`,
  ];
}

function replication({ descriptions }: StartFacts): readonly string[] {
  const found = [...descriptions.values()].flatMap((description) => description ?? []);
  return [
    ...found
      .filter((topic) => topic.replicationFactor < MIN_REPLICATION)
      .map(
        (topic) =>
          `${topic.topic} has replication factor ${topic.replicationFactor}: production needs ${MIN_REPLICATION}`,
      ),
    ...found
      .filter((topic) => topic.minInSyncReplicas < MIN_IN_SYNC)
      .map(
        (topic) =>
          `${topic.topic} has min.insync.replicas ${topic.minInSyncReplicas}: production needs ${MIN_IN_SYNC}, or one broken disk loses acknowledged records`,
      ),
  ];
}
