-- Up Migration
-- Inboxes are read from the notifications themselves: the copy's status and its reading live beside the delivery's.

-- Whose inbox it may come to. Null: nobody's, and then none of the indexes below knows the row.
alter table notifications add column in_app_user text;

update notifications as n
set in_app_user = case when n.channel = 'in-app' then c.request ->> 'recipient' else c.request -> 'inApp' ->> 'userId' end
from notification_contents as c
where c.id = n.id and (n.in_app_status <> 'none' or n.channel = 'in-app');

-- A copy comes when it was asked for, or at its notBefore. Newest first within one inbox.
create index notifications_inbox on notifications (in_app_user, tenant_id, (greatest(created_at, not_before)) desc, id desc)
  where in_app_user is not null and (in_app_status = 'arrived' or (channel = 'in-app' and status = 'Sent'));
-- What nobody has read yet: counted without a look at the rest of the inbox.
create index notifications_unread on notifications (in_app_user, tenant_id, (greatest(created_at, not_before)) desc, id desc)
  where in_app_user is not null and (in_app_status = 'arrived' or (channel = 'in-app' and status = 'Sent')) and read_at is null;

-- Where the app of a person is reached by push. A token is one installation's: registered again it moves to whoever uses that now.
create table push_tokens (
  -- The provider instance that takes it: a token of another means nothing to it.
  provider text not null,
  token text not null,
  tenant_id text,
  user_id text not null,
  registered_at timestamptz(3) not null default date_trunc('milliseconds', statement_timestamp()),
  primary key (provider, token)
);
create index push_tokens_user on push_tokens (user_id, tenant_id, registered_at desc);
