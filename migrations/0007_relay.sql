-- Up Migration
-- What the relay knows of the rows of other services' outbox tables. Their tables are theirs: all bookkeeping is here.

-- One row for each row that was taken up. What is owed is a column: a claim that nobody finished and a record that nobody received have a
-- `due_at` that passes; an outcome that the source does not say yet has `stamped_seq < outcome_seq`.
create table relay_rows (
  id uuid not null,
  -- `schema.table`, or `database/schema.table`.
  source text not null,
  claimed_at timestamptz(3) not null,
  -- null: claimed and not acknowledged by the log yet.
  relayed_at timestamptz(3),
  -- Claimed: others may take it over. Relayed: looked for in `notifications`. null: nothing to wait for.
  due_at timestamptz(3),
  outcome_at timestamptz(3),
  relays integer not null default 0,
  -- More than one: they are in relay_children, and none of them has the id of the row.
  recipients integer not null default 1,
  outcome_seq integer not null default 0,
  stamped_seq integer not null default 0,
  outcome_status text,
  outcome_reason text,
  primary key (id, source),
  constraint relay_rows_outcome check ((outcome_seq = 0) = (outcome_status is null)),
  constraint relay_rows_status check (outcome_status in ('Sent', 'Failed')),
  constraint relay_rows_stamped check (stamped_seq between 0 and outcome_seq),
  constraint relay_rows_owed check (relayed_at is not null or due_at is not null)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05
);

-- Claims to take over, records to look for, and the count of what waits for its outcome.
create index relay_rows_due on relay_rows (source, due_at) where due_at is not null;
create index relay_rows_unstamped on relay_rows (source) where stamped_seq < outcome_seq;

-- The notifications that a row with several recipients became.
create table relay_children (
  id uuid primary key,
  source text not null,
  row_id uuid not null,
  outcome_seq integer not null default 0,
  outcome_status text,
  outcome_reason text,
  outcome_at timestamptz(3),
  foreign key (row_id, source) references relay_rows (id, source) on delete cascade
);
create index relay_children_row on relay_children (row_id, source);
