-- Up Migration
-- Released migrations are never edited; a change is a new file with the next number.
-- Names are unqualified: the runner sets search_path to the configured schema (default `pin`).

-- The row: small, rewritten by every step. What is owed is a column (see ARCHITECTURE.md).
create table notifications (
  id uuid primary key,
  version integer not null,
  cycle integer not null,
  attempts integer not null,
  wake_seq integer not null,
  outcome_seq integer not null,
  published_seq integer not null,
  claim_attempt integer,
  claim_takeovers integer,
  unknown_attempt integer,
  wake_at timestamptz(3),
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null,
  requested_at timestamptz(3) not null,
  first_attempt_at timestamptz(3),
  last_attempt_at timestamptz(3),
  outcome_at timestamptz(3),
  delivered_at timestamptz(3),
  read_at timestamptz(3),
  not_before timestamptz(3),
  not_after timestamptz(3),
  unknown_since timestamptz(3),
  wake_in_log boolean not null,
  claim_token uuid,
  write_token uuid not null,
  tenant_id text,
  channel text not null,
  status text not null,
  final text,
  hold_reason text,
  in_app_status text not null,
  claim_provider text,
  unknown_provider text,
  unknown_resolution text,
  error_code text,
  error_class text,
  error_provider_code text,
  provider_key text,
  provider_message_id text,
  evidence jsonb not null,
  outcome jsonb,
  trail text not null,
  constraint notifications_obligations check (
    (final is not null and (published_seq = outcome_seq or wake_at is not null))
    or (final is null and published_seq = outcome_seq
        and (wake_at is not null or (hold_reason is not null and claim_token is null)))
  ),
  constraint notifications_published_seq check (published_seq between 0 and outcome_seq),
  constraint notifications_owed_outcome check (published_seq = outcome_seq or outcome is not null),
  constraint notifications_counts check (attempts >= 0 and cycle >= 0),
  constraint notifications_trail check (length(trail) <= 2048),
  constraint notifications_status check (status in ('Pending', 'Failed', 'Sent')),
  constraint notifications_channel check (
    channel in ('email', 'sms', 'push', 'telegram', 'max', 'whatsapp', 'viber', 'in-app')),
  constraint notifications_claim check (
    (claim_token is null) = (claim_attempt is null)
    and (claim_token is null) = (claim_provider is null)
    and (claim_token is null) = (claim_takeovers is null)),
  constraint notifications_unknown check (
    (unknown_attempt is null) = (unknown_provider is null)
    and (unknown_attempt is null) = (unknown_since is null)
    and (unknown_attempt is null) = (unknown_resolution is null)),
  constraint notifications_error check ((error_code is null) = (error_class is null))
) with (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05
);

-- Whatever is due: the sweeper's way in, and the only index that the hot path pays for.
create index notifications_wake_at on notifications (wake_at) where wake_at is not null;
-- Rows that were never held have no entry here.
create index notifications_held on notifications (channel, hold_reason, id) where hold_reason is not null;
-- Failures, newest event first: what operators list. Rows that never failed have no entry.
create index notifications_failed on notifications (greatest(created_at, last_attempt_at, outcome_at))
  where status = 'Failed';
-- Failed and not yet final: counted for the backlog's gauge.
create index notifications_failed_backlog on notifications (channel) where status = 'Failed' and final is null;

-- Inserted once with the row, in the same transaction. A tombstone keeps the hash and loses the request.
-- `json`, not `jsonb`: what came in is what goes out, and nothing here is searched.
create table notification_contents (
  id uuid primary key,
  payload_hash text not null,
  recipient_hash text not null,
  traceparent text,
  request json
);

-- Inputs that cannot be applied and rows that Postgres refused, with the original bytes.
create table quarantine (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default date_trunc('milliseconds', statement_timestamp()),
  reason text not null,
  detail text not null,
  notification_id uuid,
  topic text,
  partition integer,
  "offset" bigint,
  key bytea,
  value bytea,
  -- The same input is kept once, however often it is read: `topic/partition/offset`, or the write's token.
  origin text not null unique
);

-- Empty: every channel is unconfigured, and its notifications are held.
create table channel_configs (
  channel text primary key,
  is_enabled boolean not null,
  provider_key text,
  max_attempts integer not null,
  backoff_kind text not null,
  backoff_base_ms double precision not null,
  backoff_cap_ms double precision not null,
  backoff_jitter double precision not null,
  on_unknown text not null,
  hold_until_ms double precision not null,
  release_per_second double precision not null,
  changed_at timestamptz(3) not null,
  constraint channel_configs_channel check (
    channel in ('email', 'sms', 'push', 'telegram', 'max', 'whatsapp', 'viber', 'in-app')),
  constraint channel_configs_max_attempts check (max_attempts >= 1),
  constraint channel_configs_backoff check (
    backoff_kind in ('fixed', 'exponential') and backoff_base_ms >= 0 and backoff_cap_ms >= 0
    and backoff_jitter between 0 and 1),
  constraint channel_configs_on_unknown check (on_unknown in ('hold', 'assume-sent', 'resend')),
  constraint channel_configs_pace check (hold_until_ms >= 0 and release_per_second > 0)
);

-- The last finished pass of the sweeper; at most one row.
create table sweeps (
  only_one boolean primary key default true check (only_one),
  started_at timestamptz(3) not null,
  finished_at timestamptz(3) not null
);

-- Facts that must never change under a running deployment, such as the partition count of the input topics.
create table settings (
  name text primary key,
  value text not null
);

-- Appends `epochMs code` and drops the oldest whole lines beyond 2,048 characters, exactly as the domain's appendTrail does.
-- Not `strict`: a strict function with CASE would not be inlined.
create function append_trail(trail text, code text, at_ms bigint) returns text
  language sql immutable parallel safe
return case
  when length(trail) + length(code) + length(at_ms::text) + 2 <= 2048 then trail || at_ms::text || ' ' || code || E'\n'
  else substr(
    right(trail || at_ms::text || ' ' || code || E'\n', 2048),
    strpos(right(trail || at_ms::text || ' ' || code || E'\n', 2048), E'\n') + 1)
end;
