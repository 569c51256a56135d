// What an outsider sees of the run while it goes on: when each partition last had an outcome, and which request lies at which offset.
// Times are those of the records, by the clock that all processes of this machine share.
import type { Log, LogRecord } from '../../src/broker/log.ts';
import type { Topics } from '../../src/streams/topics.ts';

export interface Observer {
  /** By partition, the longest time without an outcome since `fromMs`, up to `toMs`. */
  silences(fromMs: number, toMs: number): readonly number[];
  /** By partition, the first outcome at or after `fromMs`; null: none yet. */
  firstSince(fromMs: number): readonly (number | null)[];
  /** Ids of the requests of a partition at offsets from `from` to below `to`, as far as they were seen. */
  requestsBetween(partition: number, from: number, to: number): readonly string[];
  stop(): Promise<void>;
}

export async function observe(log: Log, topics: Topics, partitions: number): Promise<Observer> {
  const outcomes = Array.from({ length: partitions }, (): number[] => []);
  const requests = Array.from({ length: partitions }, () => new Map<number, string>());
  const tail = await log.tail([topics.dispatched, topics.requested], 'start', (record: LogRecord) => {
    if (record.topic === topics.dispatched) outcomes[record.partition]?.push(record.timestampMs);
    else requests[record.partition]?.set(record.offset, Buffer.from(record.key ?? []).toString());
  });
  return {
    silences: (fromMs, toMs) => outcomes.map((times) => longestGap(times, fromMs, toMs)),
    firstSince: (fromMs) => outcomes.map((times) => firstAtOrAfter(times, fromMs)),
    requestsBetween(partition, from, to) {
      const ids: string[] = [];
      for (let offset = from; offset < to; offset += 1) {
        const id = requests[partition]?.get(offset);
        if (id !== undefined) ids.push(id);
      }
      return ids;
    },
    stop: () => tail.stop(),
  };
}

/** The newest outcomes are at the end, nearly in order: look back only as far as needed. */
const LOOK_BACK = 2_000;

function firstAtOrAfter(times: readonly number[], fromMs: number): number | null {
  let first: number | null = null;
  for (let index = times.length - 1; index >= 0; index -= 1) {
    const at = times[index] ?? 0;
    if (at >= fromMs) first = Math.min(first ?? at, at);
    else if (at < fromMs - 60_000) break;
  }
  return first;
}

function longestGap(times: readonly number[], fromMs: number, toMs: number): number {
  const begin = Math.max(0, times.findLastIndex((at) => at < fromMs - 60_000) - LOOK_BACK);
  const within = times.slice(begin).filter((at) => at >= fromMs && at <= toMs);
  const marks = [fromMs, ...within.sort((a, b) => a - b), toMs];
  return marks.reduce((longest, at, index) => Math.max(longest, at - (marks[index - 1] ?? at)), 0);
}
