// Reads topics from their start without a group and lets a test wait for a record of a key: the signal that replaces sleeping.
import type { Log, LogRecord } from '../../src/broker/log.ts';
import { Fault } from '../../src/runtime/fault.ts';
import { systemTimers, within } from '../../src/runtime/timers.ts';

export interface Seen {
  of(topic: string, key?: string): readonly LogRecord[];
  /** @throws Fault TEST_WAITED when there are fewer than `count` after the limit */
  atLeast(topic: string, key: string | null, count: number): Promise<readonly LogRecord[]>;
  stop(): Promise<void>;
}

const LIMIT_MS = 25_000;

export async function seenRecords(log: Log, topics: readonly string[]): Promise<Seen> {
  const records: LogRecord[] = [];
  const waiting = new Set<() => void>();
  const tail = await log.tail(topics, 'start', (record) => {
    records.push(record);
    for (const look of waiting) look();
  });
  const of = (topic: string, key?: string | null) =>
    records.filter(
      (record) => record.topic === topic && (key == null || Buffer.from(record.key ?? []).toString() === key),
    );
  return {
    of,
    async atLeast(topic, key, count) {
      let look: () => void = () => undefined;
      const enough = new Promise<void>((resolve) => {
        look = () => {
          if (of(topic, key).length >= count) resolve();
        };
      });
      waiting.add(look);
      look();
      try {
        await within(systemTimers, LIMIT_MS, 'TEST_WAITED', enough);
      } catch (error) {
        const have = `${of(topic, key).length} of ${count} records of ${key ?? 'any key'} on ${topic}`;
        throw new Fault('TEST_WAITED', have, { retriable: false, cause: error });
      } finally {
        waiting.delete(look);
      }
      return of(topic, key);
    },
    stop: () => tail.stop(),
  };
}
