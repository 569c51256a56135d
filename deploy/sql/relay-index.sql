-- Finds open requests however many published rows lie before them, and failed ones for `pin relay status` and `reemit`.
--   psql -v schema=billing -v table=outbox_events -v type=event_type -f relay-index.sql
-- `type` is the column with the event type: event_type in the `backbone` preset, type in `debezium`. Not inside a transaction.
-- A table without occurred_at has its first index on (id); one without published_at and failed_at leaves these conditions out.

create index concurrently if not exists pin_relay_open on :"schema".:"table" (occurred_at, id)
  where published_at is null and failed_at is null and :"type" = 'NotificationRequested';
create index concurrently if not exists pin_relay_failed on :"schema".:"table" (failed_at)
  where failed_at is not null and :"type" = 'NotificationRequested';
