-- Who may see what in the tables, as roles of Postgres. Optional: without it whoever owns the schema does everything.
-- Run by the owner after `pin migrate up`, and again after a migration that adds a table:
--   PGOPTIONS='-c search_path=pin' psql "$PIN_DATABASE_URL" -v ON_ERROR_STOP=1 -f deploy/sql/roles.sql
--
-- pin_system     the processor: every tenant and the platform's own, by a policy that says so. One sweep serves them all.
-- pin_operator   people who look after it: they read everything and change nothing here (commands change things).
-- pin_reader     a service that asks about notifications: those of one tenant.
-- pin_recipient  a person's app: what is in one user's inbox.
-- Producers have no rights here: they write to the request topic.
--
-- A reader or recipient says for whom it asks, in each transaction:
--   set local pin.scope = 'tenant:acme'  (or 'platform' for what has no tenant);  a recipient also:  set local pin.user = 'ada'
-- Whoever says nothing sees nothing.

do $$
declare
  role_name text;
begin
  foreach role_name in array array['pin_system', 'pin_operator', 'pin_reader', 'pin_recipient'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I nologin', role_name);
    end if;
    execute format('grant usage on schema %I to %I', current_schema(), role_name);
  end loop;
  execute format('grant select, insert, update, delete on all tables in schema %I to pin_system', current_schema());
  execute format('grant select on all tables in schema %I to pin_operator', current_schema());
end
$$;
grant select on notifications, notification_contents to pin_reader, pin_recipient;
-- Where a person is reached is nobody's to read.
revoke select on push_tokens from pin_operator;

alter table notifications enable row level security;
alter table notification_contents enable row level security;

drop policy if exists pin_system on notifications;
create policy pin_system on notifications to pin_system using (true) with check (true);
drop policy if exists pin_operator on notifications;
create policy pin_operator on notifications for select to pin_operator using (true);
drop policy if exists pin_reader on notifications;
create policy pin_reader on notifications for select to pin_reader
  using (coalesce('tenant:' || tenant_id, 'platform') = current_setting('pin.scope', true));
drop policy if exists pin_recipient on notifications;
create policy pin_recipient on notifications for select to pin_recipient
  using (
    in_app_user = current_setting('pin.user', true)
    and coalesce('tenant:' || tenant_id, 'platform') = current_setting('pin.scope', true)
    and (in_app_status = 'arrived' or (channel = 'in-app' and status = 'Sent')));

-- A content is seen by whoever sees its notification.
drop policy if exists pin_system on notification_contents;
create policy pin_system on notification_contents to pin_system using (true) with check (true);
drop policy if exists pin_others on notification_contents;
create policy pin_others on notification_contents for select to pin_operator, pin_reader, pin_recipient
  using (exists (select from notifications as n where n.id = notification_contents.id));
