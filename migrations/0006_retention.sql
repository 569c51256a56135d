-- Up Migration
-- What is old is shrunk or deleted by a job, found by these indexes. The hot path pays for the first of them alone: one entry for each
-- notification, at the end of the index, when its content is stored; the row itself has no index for it.

alter table notification_contents
  add column stored_at timestamptz(3) not null default date_trunc('milliseconds', statement_timestamp()),
  -- When the row was shrunk to a tombstone.
  add column purged_at timestamptz(3);

-- The oldest contents first; id tells apart what was stored together.
create index notification_contents_stored on notification_contents (stored_at, id) where request is not null;
-- Tombstones, and the places of requests that were cancelled before they came.
create index notification_contents_tombstones on notification_contents ((coalesce(purged_at, stored_at)))
  where request is null;

alter table message_refs
  add column named_at timestamptz(3) not null default date_trunc('milliseconds', statement_timestamp());
create index message_refs_named on message_refs (named_at);

create index refused_commands_refused on refused_commands (refused_at);
