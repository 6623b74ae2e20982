-- Made-up events that a person sends to an endpoint to test a receiver. They are no events of the account: each has one attempt, and is in
-- no log of events.
create table webhook_sample (
  account_id   bigint not null references account,
  id           bigint generated always as identity,
  endpoint_id  text not null,
  event_name   text not null,
  -- Random part of the header `webhook-id`.
  token        text not null,
  payload      text not null,
  requested_at timestamptz(3) not null,
  -- When a process began the attempt; it is never begun again.
  attempted_at timestamptz(3),
  duration_ms  int,
  -- HTTP status; null where no answer came.
  status       int,
  error        text,
  answer       text,
  primary key (account_id, id),
  foreign key (account_id, endpoint_id) references webhook_endpoint
);
create index webhook_sample_of_endpoint on webhook_sample (account_id, endpoint_id, id);
create index webhook_sample_waiting on webhook_sample (id) where attempted_at is null;

-- Redeliveries of many events, so that their progress can be read: the deliveries that one call made are those between both ids with its time.
create table webhook_redelivery (
  account_id        bigint not null references account,
  id                bigint generated always as identity,
  requested_at      timestamptz(3) not null,
  -- Deliveries that matched, and those that the call made.
  matched           int not null,
  redelivered       int not null,
  first_delivery_id bigint not null,
  last_delivery_id  bigint not null,
  primary key (account_id, id)
);

-- Notifications: what people of an account are told by e-mail. A row is written in the transaction of what it tells of.
create table notification (
  account_id   bigint not null references account,
  id           bigint generated always as identity,
  kind         text not null check (kind in ('key', 'invitation', 'protection', 'outflow', 'endpoint', 'waiting')),
  -- What it tells of: id of a key, of a person, of a transaction or of an endpoint, name of a setting; the day of a digest.
  subject      text not null,
  -- Further facts that the text has, without personal data.
  facts        jsonb not null default '{}',
  -- By the clock of the database.
  at           timestamptz(3) not null default now(),
  -- When its recipients were chosen; null until then.
  addressed_at timestamptz(3),
  primary key (account_id, id)
);
create index notification_unaddressed on notification (id) where addressed_at is null;

-- A notification for one person.
create table notification_mail (
  account_id      bigint not null,
  notification_id bigint not null,
  person_id       text not null references person,
  -- `pending`, `sent`, or `failed` after the last attempt.
  state           text not null default 'pending' check (state in ('pending', 'sent', 'failed')),
  attempts        int not null default 0,
  due_at          timestamptz(3) not null,
  -- While a process sends it.
  leased_until    timestamptz(3),
  ended_at        timestamptz(3),
  last_error      text,
  primary key (account_id, notification_id, person_id),
  foreign key (account_id, notification_id) references notification on delete cascade
);
create index notification_mail_due on notification_mail (due_at) where state = 'pending';
create index notification_mail_sent on notification_mail (account_id, person_id, ended_at) where state = 'sent';

-- Notifications that a person chose in an account, and their language. Without a row those of the role are sent.
create table notification_choice (
  account_id bigint not null,
  person_id  text not null,
  kinds      text[] not null,
  language   text not null check (language in ('en', 'pt')),
  primary key (account_id, person_id),
  foreign key (account_id, person_id) references membership on delete cascade
);

-- The last day in Brasília for which an account was looked at for a digest.
create table notification_digest (
  account_id bigint primary key references account,
  day        date not null
);

grant select, insert, update, delete on webhook_sample, notification, notification_mail, notification_choice to crossramp_app;
grant select, insert, delete on webhook_redelivery to crossramp_app;
grant select, insert, update on notification_digest to crossramp_app;
