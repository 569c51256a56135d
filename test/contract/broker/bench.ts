// What a contract test works with: a world, and on it a producer, an admin and fresh topics.
import type {
  ConsumerOptions,
  Headers,
  Log,
  LogAdmin,
  LogProducer,
  OutgoingRecord,
} from '../../../src/broker/log.ts';
import { bytes, unique } from './log-reader.ts';

/** One log with as many processes on it as a test opens. */
export interface LogWorld {
  /** The log as another process sees it. */
  log(): Log;
  readonly timing: Pick<ConsumerOptions, 'sessionTimeoutMs' | 'heartbeatIntervalMs' | 'maxWaitMs'>;
  /** Lets this much of the log's time pass. */
  pass(durationMs: number): Promise<void>;
  /** The log's time, monotonic ms. */
  nowMs(): number;
  close(): Promise<void>;
}

export interface Bench {
  readonly world: LogWorld;
  readonly log: Log;
  readonly producer: LogProducer;
  readonly admin: LogAdmin;
  /** Topics with fresh names and this many partitions. */
  topics(count: number, partitions: number, config?: Readonly<Record<string, string>>): Promise<string[]>;
  options(groupId: string, topics: readonly string[], processId?: string): ConsumerOptions;
}

export async function benchOn(world: LogWorld): Promise<Bench> {
  const log = world.log();
  const [producer, admin] = await Promise.all([log.producer(), log.admin()]);
  return {
    world,
    log,
    producer,
    admin,
    async topics(count, partitions, config = {}) {
      const names = Array.from({ length: count }, () => unique('topic'));
      await admin.create(names.map((topic) => ({ topic, partitions, replicationFactor: 1, config })));
      return names;
    },
    options: (groupId, topics, processId = unique('process')) => ({
      groupId,
      topics,
      processId,
      ...world.timing,
      maxBytesPerPartition: 262_144,
    }),
  };
}

export function outgoing(
  topic: string,
  key: string | null,
  value: string | null,
  given: Partial<OutgoingRecord> = {},
) {
  const headers: Headers = {};
  return {
    topic,
    partition: null,
    key: key === null ? null : bytes(key),
    value: value === null ? null : bytes(value),
    headers,
    ...given,
  };
}

/** Sends `count` records with values 0, 1, … to one partition. */
export async function sendNumbered(
  { producer }: Bench,
  topic: string,
  partition: number,
  count: number,
  from = 0,
) {
  const sends = Array.from({ length: count }, (_, index) =>
    producer.send(outgoing(topic, `key-${index}`, String(from + index), { partition })),
  );
  await Promise.all(sends);
}
