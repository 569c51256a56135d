import { describe, expect, it } from 'vitest';
import {
  DEAD_LETTER_MESSAGE_BYTES,
  OUTAGE_ALLOWANCE_MS,
  tierOfTopic,
  topicSpecs,
  topicsOf,
} from '../../../src/streams/topics.ts';

const DAY_MS = 86_400_000;

describe('the topics', () => {
  it('have the names that users rely on', () => {
    const topics = topicsOf();
    expect(topics.contracts.map((contract) => contract.topic)).toEqual([
      'pin.notifications.requested.v1',
      'pin.notifications.webhooks.v1',
      'pin.notifications.commands.v1',
      ...['1s', '5s', '30s', '1m', '2m', '4m', '8m', '15m'].map((tier) => `pin.notifications.retry.${tier}`),
      'pin.notifications.dispatched.v1',
      'pin.notifications.requested.v1.dlq',
    ]);
    expect(topics.groupId).toBe('pin.notification-processor');
    expect(topics.contracts[0]?.subject).toBe('pin.notifications.requested.v1-value');
  });

  it('co-partition every source of a task and nothing else', () => {
    const { contracts, inputs } = topicsOf();
    const copartitioned = contracts.filter((contract) => contract.isCopartitioned);
    expect(copartitioned.map((contract) => contract.topic)).toEqual(inputs);
    expect(inputs).toHaveLength(11);
  });

  it('give another consumer its own group, retry tiers and dead letters, and no outcomes', () => {
    const topics = topicsOf({ consumer: 'audit', tierDelaysMs: [1_000] });
    expect(topics.groupId).toBe('pin.notification-processor.audit');
    expect(topics.requested).toBe('pin.notifications.requested.v1');
    expect(topics.tiers).toEqual([{ name: '1s', delayMs: 1_000, topic: 'pin.notifications.audit.retry.1s' }]);
    expect(topics.dlq).toBe('pin.notifications.audit.requested.v1.dlq');
    expect(topics.writesDispatched).toBe(false);
    expect(topicsOf().writesDispatched).toBe(true);
  });

  it('take another prefix and single names from the settings', () => {
    const topics = topicsOf({ prefix: 'acme.mail', overrides: { dispatched: 'acme.outcomes' } });
    expect(topics.requested).toBe('acme.mail.requested.v1');
    expect(topics.contracts.find(({ role }) => role === 'dispatched')?.subject).toBe('acme.outcomes-value');
  });

  it('sort the tiers and name them by the largest whole unit', () => {
    const { tiers } = topicsOf({ tierDelaysMs: [7_200_000, 250, 90_000, 60_000] });
    expect(tiers.map((tier) => tier.name)).toEqual(['250ms', '1m', '90s', '2h']);
  });

  it('know the tier of a topic', () => {
    const topics = topicsOf();
    expect(tierOfTopic(topics, 'pin.notifications.retry.4m')?.delayMs).toBe(240_000);
    expect(tierOfTopic(topics, topics.requested)).toBeNull();
  });

  it('keep a wake-up longer than its delay and an outage', () => {
    const specs = topicSpecs(topicsOf({ tierDelaysMs: [1_000, 6 * DAY_MS] }), {
      partitions: 12,
      replicationFactor: 3,
      minInSyncReplicas: 2,
    });
    const retention = (topic: string) =>
      Number(specs.find((spec) => spec.topic === topic)?.config['retention.ms']);
    expect(retention('pin.notifications.retry.1s')).toBe(7 * DAY_MS);
    expect(retention('pin.notifications.retry.144h')).toBe(6 * DAY_MS + OUTAGE_ALLOWANCE_MS);
    expect(retention('pin.notifications.dispatched.v1')).toBe(30 * DAY_MS);
  });

  it('are created with equal partitions, never compacted, with room for dead letters', () => {
    const specs = topicSpecs(topicsOf(), { partitions: 6, replicationFactor: 1, minInSyncReplicas: 1 });
    expect(new Set(specs.map((spec) => spec.partitions))).toEqual(new Set([6]));
    expect(new Set(specs.map((spec) => spec.config['cleanup.policy']))).toEqual(new Set(['delete']));
    const written = ['requested', 'webhooks', 'commands'].map((name) =>
      specs.find(({ topic }) => topic === `pin.notifications.${name}.v1`),
    );
    expect(written.map((spec) => spec?.config['compression.type'])).toEqual(Array(3).fill('uncompressed'));
    expect(specs.at(-1)?.config['max.message.bytes']).toBe(String(DEAD_LETTER_MESSAGE_BYTES));
  });

  it.each([
    ['no tier', { tierDelaysMs: [] }],
    ['a tier twice', { tierDelaysMs: [1_000, 1_000] }],
    ['a tier without a delay', { tierDelaysMs: [0] }],
    ['a name that Kafka refuses', { prefix: 'pin notifications' }],
    ['one name for two topics', { overrides: { dlq: 'a.b', dispatched: 'a.b' } }],
  ])('refuse %s', (_, settings) => {
    expect(() => topicsOf(settings)).toThrow(expect.objectContaining({ code: 'TOPICS_UNSAFE' }));
  });
});
