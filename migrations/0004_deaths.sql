-- Up Migration
-- Who works on each task, and how those before ended; what was replayed; failures that nobody has acknowledged.

-- One row for each task. It is written when a task changes hands and, only after a death, by what runs then: the hot path never writes it.
create table task_lives (
  partition integer primary key,
  -- Every write is guarded by it.
  version integer not null,
  life uuid not null,
  process_id text not null,
  began_at timestamptz(3) not null,
  -- False: it said goodbye.
  is_living boolean not null,
  -- Lives that ended without a goodbye, one after another.
  deaths integer not null,
  -- Whose missing goodbye was counted last: if it comes late, that was no death.
  mourned json,
  -- Names of lanes: a notification's id, or `topic/partition/offset` of a record without a usable key.
  in_flight json not null,
  suspects json not null,
  alone text,
  deadly json not null
);

alter table quarantine
  add column replayed_at timestamptz(3),
  add column replayed_by text;

-- Terminal failures that count for the alert. Rows that did not end so have no entry.
create index notifications_open_failures on notifications (channel, error_code)
  where status = 'Failed' and final is not null and closed_at is null;
