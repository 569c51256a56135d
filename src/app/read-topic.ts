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
 * Answers how many offsets at the ends held nothing: marks of transactions, or the log was silent for `quietLimitMs`. Time counts only
 * while nothing comes: a reader that is busy with what came is not in silence.
 * @throws Fault LOG_UNAVAILABLE (retriable)
 */
export async function readTopic(
  environment: Environment,
  log: Log,
  topic: string,
  onRecord: (record: LogRecord) => boolean,
  quietLimitMs = QUIET_LIMIT_MS,
): Promise<number> {
  const ends = await withOpen(log.admin(), (admin) => admin.lag(NO_GROUP, [topic]));
  const open = new Map(ends.filter(({ start, end }) => start < end).map((one) => [one.partition, one]));
  if (open.size === 0) return 0;
  const progress = { isWanted: true, quietMs: 0 };
  const reached = new Map([...open.values()].map(({ partition, start }) => [partition, start]));
  const take = (record: LogRecord) => {
    progress.quietMs = 0;
    reached.set(record.partition, record.offset + 1);
    if (progress.isWanted && isBefore(open.get(record.partition), record))
      progress.isWanted = onRecord(record);
    if (record.offset + 1 >= (open.get(record.partition)?.end ?? 0)) open.delete(record.partition);
  };
  const tail = await log.tail([topic], 'start', take);
  try {
    while (open.size > 0 && progress.isWanted && !environment.signal.aborted) {
      if (progress.quietMs >= quietLimitMs) break;
      await pause(environment.timers, LOOK_EVERY_MS, environment.signal);
      progress.quietMs += LOOK_EVERY_MS;
    }
    return [...open.values()].reduce(
      (unread, { partition, end }) => unread + end - (reached.get(partition) ?? 0),
      0,
    );
  } finally {
    await tail.stop();
  }
}

function isBefore(range: PartitionLag | undefined, record: LogRecord): boolean {
  return range !== undefined && record.offset < range.end;
}
