-- Notifications that go to endpoints of webhooks, which name them among their events (docs/decisions/0094-notifications-to-a-url.md).
-- long lock: of the first release, before which no database has notifications.
alter table notification add column hooked_at timestamptz(3);
create index notification_unhooked on notification (id) where hooked_at is null;

-- A notification for one endpoint.
create table notification_hook (
  account_id      bigint not null,
  notification_id bigint not null,
  endpoint_id     text not null,
  -- `pending`, `sent`, or `failed` after the last attempt.
  state           text not null default 'pending' check (state in ('pending', 'sent', 'failed')),
  attempts        int not null default 0,
  due_at          timestamptz(3) not null,
  -- While a process sends it.
  leased_until    timestamptz(3),
  ended_at        timestamptz(3),
  last_error      text,
  primary key (account_id, notification_id, endpoint_id),
  foreign key (account_id, notification_id) references notification on delete cascade,
  foreign key (account_id, endpoint_id) references webhook_endpoint
);
create index notification_hook_due on notification_hook (due_at) where state = 'pending';
grant select, insert, update, delete on notification_hook to crossramp_app;

insert into migration_reach values ('20261207110020_notification_hooks', '1.0.0');
