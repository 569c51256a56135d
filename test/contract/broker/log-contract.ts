// What every log must do, run on the in-memory log and on a real broker. Suites by subject; each opens a world of its own.
import { afterAll, beforeAll, describe } from 'vitest';
import type {
  ConsumerOptions,
  Headers,
  Log,
  LogAdmin,
  LogProducer,
  OutgoingRecord,
} from '../../../src/broker/log.ts';
import { adminContract } from './admin-contract.ts';
import { groupContract } from './group-contract.ts';
import { bytes, unique } from './log-reader.ts';
import { producerContract } from './producer-contract.ts';
import { readingContract } from './reading-contract.ts';

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

export function logContract(name: string, open: () => Promise<LogWorld>): void {
  describe(name, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await benchOn(await open());
    });
    afterAll(async () => {
      await bench.producer.close();
      await bench.admin.close();
      await bench.world.close();
    });
    producerContract(() => bench);
    readingContract(() => bench);
    groupContract(() => bench);
    adminContract(() => bench);
  });
}

async function benchOn(world: LogWorld): Promise<Bench> {
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
