// When the sweeper repeats a wake-up: once when the row is overdue, then 2, 4, 8, 16, 32, 60 minutes after its wake_at, then hourly.
// So a row that nobody handles costs a handful of records a day, not one a minute.

const MINUTE_MS = 60_000;
const REPEATS_MINUTES = [2, 4, 8, 16, 32, 60];
const HOURLY_MS = 60 * MINUTE_MS;
/** A wake-up that is in the log gets this long before it counts as lost. */
const IN_LOG_GRACE_MS = 10_000;

export interface SweptRow {
  readonly wakeAtMs: number;
  readonly wakeInLog: boolean;
}

/** Whether the pass at `nowMs` produces this row's wake-up, when the last finished pass began at `lastMs` (null = none yet). */
export function repeatsInPass(row: SweptRow, nowMs: number, lastMs: number | null): boolean {
  const overdueMs = nowMs - row.wakeAtMs;
  // A long wait that rested in the table enters the log ahead of its time, once: then it is in the log.
  if (overdueMs < 0) return !row.wakeInLog;
  const before = lastMs === null ? 0 : stepsPassed(row, lastMs - row.wakeAtMs);
  return stepsPassed(row, overdueMs) > before;
}

function stepsPassed(row: SweptRow, overdueMs: number): number {
  const first = overdueMs >= (row.wakeInLog ? IN_LOG_GRACE_MS : 0) ? 1 : 0;
  const repeats = REPEATS_MINUTES.filter((minutes) => overdueMs >= minutes * MINUTE_MS).length;
  const hours = Math.max(0, Math.floor(overdueMs / HOURLY_MS) - 1);
  return first + repeats + hours;
}
