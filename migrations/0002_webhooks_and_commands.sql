-- Up Migration
-- What providers report after the call, and what people ask. Columns without defaults: no row is rewritten.

alter table notifications
  add column seen_at timestamptz(3),
  add column complained_at timestamptz(3),
  add column unsubscribed_at timestamptz(3),
  -- An operator acknowledged the terminal failure.
  add column closed_at timestamptz(3),
  -- Asked to cancel while a call was in flight.
  add column cancel_by text,
  -- The last commands that were answered, separated by spaces.
  add column command_ids text;

-- A cancel that came before its request keeps the place; only such a row has no channel, and it is final.
alter table notifications drop constraint notifications_channel;
alter table notifications add constraint notifications_channel check (
  channel in ('email', 'sms', 'push', 'telegram', 'max', 'whatsapp', 'viber', 'in-app')
  or (channel = 'none' and final is not null));

-- Which notification a provider's message belongs to, for reports that do not say it. Only messages of providers that do not echo our
-- reference have a row here: everybody else's hot path pays nothing.
create table message_refs (
  provider text not null,
  message_id text not null,
  notification_id uuid not null,
  primary key (provider, message_id)
);

-- Reports about a message, or a notification, that nobody knows yet. They wait until it is known, or until they are too old.
create table parked_webhooks (
  event_id uuid primary key,
  provider text not null,
  message_id text,
  notification_id uuid,
  parked_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  webhook json not null,
  constraint parked_webhooks_about check (message_id is not null or notification_id is not null)
);
create index parked_webhooks_message on parked_webhooks (provider, message_id) where notification_id is null;
create index parked_webhooks_notification on parked_webhooks (notification_id) where notification_id is not null;
create index parked_webhooks_expires_at on parked_webhooks (expires_at);

-- Commands that met no row: answered for good, also when the row comes later and the command is read again.
create table refused_commands (
  command_id uuid primary key,
  notification_id uuid not null,
  refused_at timestamptz(3) not null default date_trunc('milliseconds', statement_timestamp())
);
