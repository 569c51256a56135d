import { describe, expect, it } from 'vitest';
import type { TopicDescription } from '../../../src/broker/log.ts';
import { type StartFacts, startChecks } from '../../../src/ops/start-checks.ts';
import { topicSpecs, topicsOf } from '../../../src/streams/topics.ts';

const topics = topicsOf();

function descriptions(
  size = { partitions: 12, replicationFactor: 3, minInSyncReplicas: 2 },
): Map<string, TopicDescription | null> {
  return new Map(
    topicSpecs(topics, size).map((spec) => [
      spec.topic,
      { ...spec, minInSyncReplicas: size.minInSyncReplicas },
    ]),
  );
}

function someFacts(change: Partial<StartFacts> = {}): StartFacts {
  return {
    isProduction: true,
    topics,
    descriptions: descriptions(),
    configuredPartitions: 12,
    storedPartitions: 12,
    providers: [{ providerKey: 'mail', deadlineMs: 15_000 }],
    leaseMs: 35_000,
    stopLimitMs: 15_000,
    watchdogMs: 35_000,
    clockSkewMs: 200,
    maxClockSkewMs: 5_000,
    memories: [],
    ...change,
  };
}

/** The described topics with one of them changed. */
function withTopic(
  topic: string,
  change: (found: TopicDescription) => TopicDescription | null,
): Partial<StartFacts> {
  const changed = descriptions();
  const found = changed.get(topic);
  if (found === null || found === undefined) expect.fail(`no topic ${topic}`);
  changed.set(topic, change(found));
  return { descriptions: changed };
}

function withConfig(topic: string, entry: Readonly<Record<string, string>>): Partial<StartFacts> {
  return withTopic(topic, (found) => ({ ...found, config: { ...found.config, ...entry } }));
}

describe('startChecks', () => {
  it('have nothing to say about what `pin topics apply` makes with the default settings', () => {
    expect(startChecks(someFacts())).toEqual([]);
  });

  it('name missing topics and how to make them', () => {
    expect(startChecks(someFacts(withTopic(topics.dispatched, () => null)))).toEqual([
      'a topic is missing: pin.notifications.dispatched.v1; run `pin topics apply`',
    ]);
    expect(startChecks(someFacts({ descriptions: new Map() }))[0]).toMatch(
      /^topics are missing: .*requested/,
    );
  });

  it('refuse unequal partition counts of the input topics', () => {
    const sentences = startChecks(
      someFacts(withTopic(topics.commands, (found) => ({ ...found, partitions: 6 }))),
    );
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toMatch(/unequal partition counts .*commands\.v1 6/);
  });

  it('let an output topic have its own partition count', () => {
    const other = withTopic(topics.dispatched, (found) => ({ ...found, partitions: 1 }));
    expect(startChecks(someFacts(other))).toEqual([]);
  });

  it('refuse another partition count than the one the tables were filled with', () => {
    expect(startChecks(someFacts({ storedPartitions: 6 }))[0]).toMatch(/have 12 partitions, .* with 6/);
    expect(startChecks(someFacts({ storedPartitions: null }))).toEqual([]);
  });

  it('refuse a setting that counts other partitions than the topics have', () => {
    expect(startChecks(someFacts({ configuredPartitions: 4 }))).toEqual([
      expect.stringMatching(/have 12 partitions, and PIN_PARTITIONS is 4.*PIN_PARTITIONS=12/),
    ]);
  });

  it('refuse a tier that forgets wake-ups before an outage is over', () => {
    const tier = topics.tiers[0]?.topic ?? '';
    const threeDaysMs = 3 * 86_400_000;
    expect(startChecks(someFacts(withConfig(tier, { 'retention.ms': String(threeDaysMs) })))).toHaveLength(1);
    expect(startChecks(someFacts(withConfig(tier, { 'retention.ms': String(threeDaysMs + 1_000) })))).toEqual(
      [],
    );
    expect(startChecks(someFacts(withConfig(tier, { 'retention.ms': '-1' })))).toEqual([]);
  });

  it('refuse a compacted tier', () => {
    const tier = topics.tiers[3]?.topic ?? '';
    const sentences = startChecks(someFacts(withConfig(tier, { 'cleanup.policy': 'compact,delete' })));
    expect(sentences).toEqual([expect.stringMatching(/retry\.1m is compacted/)]);
  });

  it('refuse a lease shorter than flush, deadline and ten seconds', () => {
    expect(startChecks(someFacts({ leaseMs: 34_999 }))).toEqual([
      'PIN_LEASE (34999ms) is too short for provider mail: flush 10s + deadline 15s + 10s = 35s; another process could call again while the call runs',
    ]);
  });

  it('refuse a watchdog that bites during a call', () => {
    expect(startChecks(someFacts({ watchdogMs: 34_999 }))).toEqual([
      'PIN_WATCHDOG (34999ms) is shorter than PIN_LEASE (35s): a call that takes all of its time would look stuck and end the process',
    ]);
  });

  it('refuse a stop limit shorter than a deadline', () => {
    expect(startChecks(someFacts({ stopLimitMs: 14_999 }))).toEqual([
      expect.stringMatching(/^PIN_STOP_LIMIT \(14999ms\) is shorter than the deadline of provider mail/),
    ]);
  });

  it('refuse a clock that is too far from the one of Postgres, in either direction', () => {
    expect(startChecks(someFacts({ clockSkewMs: 5_001 }))[0]).toMatch(/5001ms ahead of/);
    expect(startChecks(someFacts({ clockSkewMs: -6_000 }))[0]).toMatch(/6s behind/);
    expect(startChecks(someFacts({ clockSkewMs: -5_000 }))).toEqual([]);
  });

  it('refuse too few copies in production only', () => {
    const single = descriptions({ partitions: 12, replicationFactor: 1, minInSyncReplicas: 1 });
    const sentences = startChecks(someFacts({ descriptions: single }));
    expect(sentences).toHaveLength(2 * topics.contracts.length);
    expect(sentences[0]).toBe('pin.notifications.requested.v1 has replication factor 1: production needs 3');
    expect(startChecks(someFacts({ descriptions: single, isProduction: false }))).toEqual([]);
  });

  it('say everything that is wrong at once', () => {
    expect(
      startChecks(someFacts({ leaseMs: 1, stopLimitMs: 1, clockSkewMs: 60_000, storedPartitions: 1 })),
    ).toHaveLength(4);
  });

  it('refuse memories that are shorter than what a topic may give again', () => {
    const DAY_MS = 86_400_000;
    const memory = { setting: 'PIN_RETENTION_TOMBSTONES', otherwise: 'it could be sent again' };
    const sayingOf = (keepMs: number, change: Partial<StartFacts> = {}) =>
      startChecks(someFacts({ ...change, memories: [{ ...memory, keepMs }] }));
    expect(sayingOf(30 * DAY_MS)).toEqual([]);
    expect(sayingOf(29 * DAY_MS)).toEqual([
      'PIN_RETENTION_TOMBSTONES (29d) is shorter than pin.notifications.dispatched.v1 keeps its records (30d): it could be sent again',
    ]);
    expect(sayingOf(90 * DAY_MS, withConfig(topics.requested, { 'retention.ms': '-1' }))).toEqual([
      'PIN_RETENTION_TOMBSTONES (90d) is shorter than pin.notifications.requested.v1 keeps its records (for ever): it could be sent again',
    ]);
  });
});
