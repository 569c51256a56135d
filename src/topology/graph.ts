// The topology as one value: what is read, what happens, what is kept, what is written. The processor runs what this value says;
// `pin topology` prints it. Making it needs no broker.
import type { RetryTier, Topics } from '../streams/topics.ts';

export type SourceKind = 'requested' | 'webhooks' | 'commands' | 'retry';

export interface Source {
  readonly kind: SourceKind;
  readonly topic: string;
  readonly tier: RetryTier | null;
}

export interface Sink {
  readonly kind: 'dispatched' | 'retry' | 'dlq';
  readonly topic: string;
}

export interface Processor {
  readonly name: string;
  readonly does: string;
}

export interface Topology {
  readonly consumer: string;
  readonly groupId: string;
  /** Co-partitioned: partition i of all of them is task i. */
  readonly sources: readonly Source[];
  readonly processors: readonly Processor[];
  readonly stores: readonly string[];
  readonly sinks: readonly Sink[];
  /** By name of source kind, processor, store or sink kind. */
  readonly edges: readonly (readonly [from: string, to: string])[];
}

export function notificationTopology(topics: Topics): Topology {
  const tiers = topics.tiers.map((tier) => ({ kind: 'retry', topic: tier.topic, tier }) as const);
  return {
    consumer: topics.consumer,
    groupId: topics.groupId,
    sources: [
      { kind: 'requested', topic: topics.requested, tier: null },
      { kind: 'webhooks', topic: topics.webhooks, tier: null },
      { kind: 'commands', topic: topics.commands, tier: null },
      ...tiers,
    ],
    processors: [
      { name: 'decode', does: 'Avro value to domain type; a broken contract ends here' },
      { name: 'plan', does: 'the rules: publish, send, look up, wait, hold, finish, drop' },
      { name: 'claim', does: 'permit held, attempt and lease committed before the call' },
      { name: 'send', does: 'one provider call, one deadline, no hidden retry' },
      { name: 'tell', does: 'folds a webhook or a command into the row; parks what names nothing known' },
      { name: 'settle', does: 'folds the answer into the row until the row says it' },
      { name: 'publish', does: 'pays what the row owes: an outcome or a wake-up' },
      { name: 'sweep', does: 'each minute under a lock: wakes every overdue row' },
    ],
    stores: ['notifications', 'parked'],
    sinks: [
      ...(topics.writesDispatched ? [{ kind: 'dispatched', topic: topics.dispatched } as const] : []),
      ...tiers.map(({ topic }) => ({ kind: 'retry', topic }) as const),
      { kind: 'dlq', topic: topics.dlq },
    ],
    edges: [
      ['requested', 'decode'],
      ['webhooks', 'decode'],
      ['commands', 'decode'],
      ['retry', 'decode'],
      ['decode', 'plan'],
      ['decode', 'dlq'],
      ['decode', 'tell'],
      ['tell', 'publish'],
      ['tell', 'notifications'],
      ['tell', 'parked'],
      ['plan', 'claim'],
      ['plan', 'publish'],
      ['claim', 'send'],
      ['send', 'settle'],
      ['settle', 'publish'],
      ...(topics.writesDispatched ? [['publish', 'dispatched'] as const] : []),
      ['publish', 'retry'],
      ['sweep', 'retry'],
      ['plan', 'notifications'],
      ['claim', 'notifications'],
      ['settle', 'notifications'],
      ['publish', 'notifications'],
      ['notifications', 'sweep'],
      ['parked', 'sweep'],
      ['parked', 'settle'],
      ['settle', 'webhooks'],
      ['sweep', 'webhooks'],
    ],
  };
}
