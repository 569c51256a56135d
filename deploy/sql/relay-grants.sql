-- What the relay's role needs of an outbox table, and no more: reading, and the three columns in which a row is told what became of it.
--   psql -v role=pin_relay -v schema=billing -v table=outbox_events -f relay-grants.sql
-- Run it as the owner of the table. The layout is that of the `backbone` preset.

grant usage on schema :"schema" to :"role";
grant select on :"schema".:"table" to :"role";
grant update (published_at, failed_at, failure_reason) on :"schema".:"table" to :"role";

-- Only where writers of the table compare its version: the relay raises it with each stamp when it may.
-- grant update (version) on :"schema".:"table" to :"role";

-- Under row-level security the role must see the rows of all companies, or `pin run relay` refuses to start. Either, as a superuser,
--   alter role pin_relay bypassrls;
-- or a policy of its own:
-- create policy pin_relay on :"schema".:"table" for all to :"role" using (true) with check (true);
