-- Optional: tells the relay of new rows at once, so that it need not look every second. One notification for each insert statement, sent
-- when its transaction commits. It only makes things fast; without it, or when one is missed, the relay finds the rows by looking.
--   psql -v schema=billing -v table=outbox_events -v type=event_type -f relay-notify.sql
-- Commits that notify take turns in Postgres: leave it out where thousands of transactions a second write requests.

create or replace function :"schema".pin_relay_notify() returns trigger language plpgsql as $body$
declare
  requests integer;
  ids text;
begin
  execute format('select count(*), string_agg(id::text, '','') from fresh where %I = ''NotificationRequested''', tg_argv[0])
    into requests, ids;
  if requests > 0 then
    -- A notification carries less than 8,000 bytes: of many rows only that they are there.
    perform pg_notify('pin_relay',
      tg_table_schema || '.' || tg_table_name || ' ' || case when requests <= 200 then ids else '' end);
  end if;
  return null;
end
$body$;

drop trigger if exists pin_relay_notify on :"schema".:"table";
create trigger pin_relay_notify after insert on :"schema".:"table"
  referencing new table as fresh for each statement execute function :"schema".pin_relay_notify(:'type');
