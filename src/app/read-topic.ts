// Reads what is in a topic now and stops: for listings. It joins no group and commits nothing.
import type { Log, LogRecord, PartitionLag } from '../broker/log.ts';
import { pause } from '../runtime/timers.ts';
import { withOpen } from './cli.ts';
import type { Environment } from './environment.ts';

/** Transaction marks count as offsets and are never delivered: give up on the last few when nothing comes any more. */
const QUIET_LIMIT_MS = 2_000;
const LOOK_EVERY_MS = 20;
const NO_GROUP = 'pin-reads-without-a-group';

/**
 * Calls `onRecord` with every record of the topic, up to the ends as they are now; stops early when it answers false.
 * Answers whether every offset was reached: the last ones may be marks of transactions, or the log was silent for `quietLimitMs`.
 * @throws Fault LOG_UNAVAILABLE (retriable)
 */
export async function readTopic(
  environment: Environment,
  log: Log,
  topic: string,
  onRecord: (record: LogRecord) => boolean,
  quietLimitMs = QUIET_LIMIT_MS,
): Promise<boolean> {
  const ends = await withOpen(log.admin(), (admin) => admin.lag(NO_GROUP, [topic]));
  const open = new Map(ends.filter(({ start, end }) => start < end).map((one) => [one.partition, one]));
  if (open.size === 0) return true;
  const progress = { isWanted: true, lastMs: environment.clock.monotonicMs() };
  const take = (record: LogRecord) => {
    progress.lastMs = environment.clock.monotonicMs();
    if (progress.isWanted && isBefore(open.get(record.partition), record))
      progress.isWanted = onRecord(record);
    if (record.offset + 1 >= (open.get(record.partition)?.end ?? 0)) open.delete(record.partition);
  };
  const tail = await log.tail([topic], 'start', take);
  try {
    while (open.size > 0 && progress.isWanted && !environment.signal.aborted) {
      if (environment.clock.monotonicMs() - progress.lastMs > quietLimitMs) return false;
      await pause(environment.timers, LOOK_EVERY_MS, environment.signal);
    }
    return open.size === 0;
  } finally {
    await tail.stop();
  }
}

function isBefore(range: PartitionLag | undefined, record: LogRecord): boolean {
  return range !== undefined && record.offset < range.end;
}
