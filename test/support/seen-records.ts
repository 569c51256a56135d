// Reads topics from their start without a group and lets a test wait for a record of a key: the signal that replaces sleeping.
import type { Log, LogRecord } from '../../src/broker/log.ts';
import { Fault, invariant } from '../../src/runtime/fault.ts';
import { systemTimers, within } from '../../src/runtime/timers.ts';

export interface Seen {
  of(topic: string, key?: string): readonly LogRecord[];
  /** @throws Fault TEST_WAITED when there are fewer than `count` after the limit */
  atLeast(topic: string, key: string | null, count: number, limitMs?: number): Promise<readonly LogRecord[]>;
  /** The first record of the topic that `is` it. @throws Fault TEST_WAITED when there is none after the limit */
  first(topic: string, is: (record: LogRecord) => boolean): Promise<LogRecord>;
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
  const when = async (what: () => string, holds: () => boolean, limitMs: number): Promise<void> => {
    let look: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      look = () => {
        if (holds()) resolve();
      };
    });
    waiting.add(look);
    look();
    try {
      await within(systemTimers, limitMs, 'TEST_WAITED', held);
    } catch (error) {
      throw new Fault('TEST_WAITED', what(), { retriable: false, cause: error });
    } finally {
      waiting.delete(look);
    }
  };
  return {
    of,
    async atLeast(topic, key, count, limitMs = LIMIT_MS) {
      const what = () => `${of(topic, key).length} of ${count} records of ${key ?? 'any key'} on ${topic}`;
      await when(what, () => of(topic, key).length >= count, limitMs);
      return of(topic, key);
    },
    async first(topic, is) {
      const find = () => of(topic).find(is);
      await when(
        () => `none of ${of(topic).length} records on ${topic} is it`,
        () => find() !== undefined,
        LIMIT_MS,
      );
      const found = find();
      invariant(found !== undefined, 'it was there a moment ago');
      return found;
    },
    stop: () => tail.stop(),
  };
}
