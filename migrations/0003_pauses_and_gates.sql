-- Up Migration
-- What operators stop for a while, with who, when and why. Every process reads these few rows every few seconds.

-- A pause by its key: `channel:sms`, `tenant:acme`, `tenant-none` (the platform's own notifications) or `template:welcome`.
create table pauses (
  key text primary key,
  reason text not null,
  paused_by text not null,
  paused_at timestamptz(3) not null,
  constraint pauses_key check (key ~ '^((channel|tenant|template):.+|tenant-none)$')
);

-- The last word of an operator about a provider's gate.
create table gates (
  provider text primary key,
  state text not null,
  -- Closed until then; null: until it is opened.
  closed_until timestamptz(3),
  reason text not null,
  changed_by text not null,
  changed_at timestamptz(3) not null,
  -- Rises with every word, so that a process sees each once.
  change integer not null,
  constraint gates_state check (state in ('open', 'closed')),
  constraint gates_closed_until check (state = 'closed' or closed_until is null)
);

-- Gates as processes see them, said again every few seconds. A process that is silent for long is gone, and its rows with it.
create table seen_gates (
  process_id text not null,
  provider text not null,
  state text not null,
  until timestamptz(3),
  why text,
  seen_at timestamptz(3) not null,
  primary key (process_id, provider)
);

-- The pause that holds a row, so that the rows of a pause that ended are found without reading those of the others.
-- A column without a default: no row is rewritten.
alter table notifications add column hold_pause text;
alter table notifications add constraint notifications_hold_pause check (
  (hold_reason is not distinct from 'paused') = (hold_pause is not null));
drop index notifications_held;
create index notifications_held on notifications (channel, hold_reason, hold_pause, id) where hold_reason is not null;
