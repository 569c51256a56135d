-- Asks for a notification inside a transaction of any client in any language. The relay takes the row once it is committed.
begin;
insert into orders (id) values ('4713');
insert into outbox_events (id, event_type, aggregate_type, aggregate_id, payload, company_id, occurred_at)
values (
  gen_random_uuid(),              -- the NotificationId
  'NotificationRequested',        -- rows of other types belong to other relays
  'order', '4713',
  jsonb_build_object(
    'channel', 'email',
    'to', jsonb_build_array('ada@example.com', 'bob@example.com'),
    'template', jsonb_build_object('key', 'order-placed'),
    'data', jsonb_build_object('order', '4713'),
    'trigger', 'order-placed'
  ),
  'acme',                         -- the tenant; null is the platform itself
  now()
);
commit;
