// Fills the gauges that nobody counts up: lag, tiers, what is held, overdue or unpublished. Read from the log and the table every few
// seconds by one loop; a reading that fails keeps the last values and is tried again.
import type { Log, LogAdmin } from '../broker/log.ts';
import { lagReport } from '../ops/lag-report.ts';
import type { Clock } from '../runtime/clock.ts';
import { messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import type { PrometheusMetrics } from '../runtime/prometheus-metrics.ts';
import { every, type Timers, within } from '../runtime/timers.ts';
import type { NotificationCounts } from '../state/notification-counts.ts';
import type { NotificationReader } from '../state/notification-reader.ts';
import type { Topics } from '../streams/topics.ts';
import { heldByReason } from './held-by-reason.ts';

export interface GaugeDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly metrics: PrometheusMetrics;
  readonly log: Log;
  readonly reader: NotificationReader;
  readonly topics: Topics;
}

const PERIOD_MS = 10_000;
/** A stop has better things to do than to wait for a reading that hangs on a server which is away. */
const STOP_LIMIT_MS = 1_000;

export interface Gauges {
  /** Takes STOP_LIMIT_MS at most; what does not close by then ends with the process. */
  stop(): Promise<void>;
}

/** @throws Fault LOG_UNAVAILABLE (retriable) when the brokers do not answer at the start */
export async function startGauges(deps: GaugeDeps): Promise<Gauges> {
  const admin = await deps.log.admin();
  let reading: Promise<void> = Promise.resolve();
  const read = () => {
    reading = readOnce(deps, admin);
    return reading;
  };
  const report = (error: unknown) => deps.logger.debug('gauges.unread', { detail: messageOf(error) });
  const cancel = every(deps.timers, PERIOD_MS, read, report);
  void read().catch(report);
  return {
    async stop() {
      cancel();
      const closed = reading
        .catch(() => undefined)
        .then(() => Promise.all([admin.close(), deps.reader.close()]));
      await within(deps.timers, STOP_LIMIT_MS, 'GAUGES_STOP_LIMIT', closed).catch(report);
    },
  };
}

async function readOnce(deps: GaugeDeps, admin: LogAdmin): Promise<void> {
  const counts = await deps.reader.counts();
  setCounts(deps.metrics, counts);
  const rows = { waiting: 0, due: counts.overdue, oldestDueMs: null };
  const report = await lagReport(admin, deps.topics, rows, deps.clock.nowMs());
  for (const { topic, partition, lag, oldestMs } of report.inputs) {
    deps.metrics.set('pin_consumer_lag', { topic, partition }, lag);
    deps.metrics.set('pin_consumer_lag_seconds', { topic, partition }, (oldestMs ?? 0) / 1_000);
  }
  for (const { tier, waiting, due, oldestDueMs } of report.tiers ?? []) {
    deps.metrics.set('pin_retry_waiting', { tier }, waiting);
    deps.metrics.set('pin_retry_due', { tier }, due);
    deps.metrics.set('pin_retry_oldest_due_seconds', { tier }, (oldestDueMs ?? 0) / 1_000);
  }
}

function setCounts(metrics: PrometheusMetrics, counts: NotificationCounts): void {
  // What is no longer held, or no longer failed, must not keep its last value.
  metrics.clear('pin_notifications_held');
  metrics.clear('pin_notifications_failed_backlog');
  for (const { channel, reason, count } of heldByReason(counts.held))
    metrics.set('pin_notifications_held', { channel, reason }, count);
  metrics.clear('pin_terminal_failures_open');
  for (const { channel, count } of counts.failedBacklog)
    metrics.set('pin_notifications_failed_backlog', { channel }, count);
  for (const { channel, code, count } of counts.openFailures)
    metrics.set('pin_terminal_failures_open', { channel, code }, count);
  metrics.set('pin_webhooks_parked', {}, counts.parkedWebhooks);
  metrics.set('pin_overdue_wakeups', {}, counts.overdue);
  metrics.set('pin_unpublished_outcomes', {}, counts.unpublished);
  metrics.set('pin_unpublished_oldest_seconds', {}, counts.unpublishedOldestSeconds);
}
