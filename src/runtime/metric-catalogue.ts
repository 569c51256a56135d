// Every metric that the product exposes: name, help and labels in one place. Base units (seconds, bytes, counts).

export const COUNTERS = {
  pin_notifications_requested_total: { help: 'Requests accepted as new notifications.', labels: ['channel'] },
  pin_delivery_attempts_total: {
    help: 'Provider calls by result.',
    labels: ['channel', 'provider', 'result'],
  },
  pin_notifications_dispatched_total: {
    help: 'Final outcomes acknowledged by the log.',
    labels: ['channel', 'status'],
  },
  pin_retry_scheduled_total: { help: 'Wake-ups produced, by tier.', labels: ['tier'] },
  pin_retry_sent_total: { help: 'Attempts after the first that were accepted.', labels: ['channel'] },
  pin_channel_disabled_skips_total: {
    help: 'Requests held because their channel is off.',
    labels: ['channel'],
  },
  pin_terminal_failures_total: {
    help: 'Ends in terminal Failed, counted once where the row was committed.',
    labels: ['channel', 'code'],
  },
  pin_possible_duplicates_total: { help: 'Unknown outcomes sent again by policy.', labels: ['channel'] },
  pin_unclassified_codes_total: {
    help: 'Provider codes without a mapping, treated as retriable.',
    labels: ['provider'],
  },
  pin_state_conflicts_total: { help: 'Writes that met another version of the row.', labels: ['operation'] },
  pin_dlq_total: { help: 'Records sent to the dead letter topic.', labels: ['reason'] },
  pin_records_skipped_total: { help: 'Records skipped on purpose.', labels: ['topic', 'reason'] },
  pin_records_misplaced_total: {
    help: 'Records produced again to the partition of their key.',
    labels: ['topic'],
  },
  pin_quarantined_total: { help: 'Inputs put into the quarantine table.', labels: ['reason'] },
  pin_webhooks_total: {
    help: 'Webhooks: received records, and what became of them (applied, ignored-…, parked, joined, dead-…).',
    labels: ['provider', 'result'],
  },
  pin_purged_total: {
    help: 'What retention removed: rows shrunk to tombstones (final), and what was deleted.',
    labels: ['kind'],
  },
  pin_push_tokens_removed_total: {
    help: 'Push tokens forgotten because their provider called them invalid.',
    labels: ['provider'],
  },
  pin_feed_dropped_total: {
    help: 'Events of the feed that other processes did not hear.',
    labels: [],
  },
  pin_http_requests_total: { help: 'HTTP calls of the doors by status.', labels: ['route', 'status'] },
  pin_relay_rows_total: {
    help: 'Outbox rows by what the relay did: relayed, dead, taken-over, repeated, stamped.',
    labels: ['result'],
  },
  pin_commands_total: { help: 'Commands by what they were answered.', labels: ['kind', 'result'] },
} as const;

export const GAUGES = {
  pin_retry_waiting: { help: 'Wake-ups not yet due, by tier.', labels: ['tier'] },
  pin_retry_due: { help: 'Wake-ups due and not yet processed, by tier.', labels: ['tier'] },
  pin_retry_oldest_due_seconds: { help: 'Age of the oldest due wake-up.', labels: ['tier'] },
  pin_notifications_held: { help: 'Notifications held, by reason.', labels: ['channel', 'reason'] },
  pin_notifications_failed_backlog: {
    help: 'Notifications in Failed that are not final.',
    labels: ['channel'],
  },
  pin_terminal_failures_open: {
    help: 'Rows in terminal Failed that nobody closed or redrove.',
    labels: ['channel', 'code'],
  },
  pin_consumer_lag: {
    help: 'Records between the committed offset and the end.',
    labels: ['topic', 'partition'],
  },
  pin_consumer_lag_seconds: {
    help: 'Age of the oldest record not yet committed.',
    labels: ['topic', 'partition'],
  },
  pin_task_status: { help: 'Tasks of this process by status.', labels: ['status'] },
  pin_unpublished_outcomes: { help: 'Final outcomes that the log has not acknowledged.', labels: [] },
  pin_unpublished_oldest_seconds: { help: 'Age of the oldest unpublished outcome.', labels: [] },
  pin_webhooks_parked: { help: 'Webhooks that wait for their notification to be known.', labels: [] },
  pin_overdue_wakeups: { help: 'Rows whose wake_at has passed.', labels: [] },
  pin_relay_pending: { help: 'Open outbox rows that the log does not have yet.', labels: [] },
  pin_relay_oldest_seconds: { help: 'Age of the oldest of them.', labels: [] },
  pin_provider_gate: { help: '1 for the state that the provider gate is in.', labels: ['provider', 'state'] },
  pin_build_info: { help: 'Always 1.', labels: ['version', 'node'] },
} as const;

export const HISTOGRAMS = {
  pin_delivery_duration_seconds: { help: 'Duration of provider calls.', labels: ['channel', 'provider'] },
  pin_retry_lateness_seconds: {
    help: 'How long after its due time a wake-up was processed.',
    labels: ['tier'],
  },
} as const;

export type CounterName = keyof typeof COUNTERS;
export type GaugeName = keyof typeof GAUGES;
export type HistogramName = keyof typeof HISTOGRAMS;
