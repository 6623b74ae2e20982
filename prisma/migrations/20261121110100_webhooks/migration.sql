-- Webhooks: endpoints, what is to be delivered to them, and every attempt (contract section 8).

-- How far the relay has read the log: events are taken in the order of commits.
create table relay_cursor (
  name text primary key,
  xid  xid8 not null,
  id   bigint not null
);
-- Webhooks begin with the events that come after this migration.
insert into relay_cursor (name, xid, id)
  select 'webhooks', coalesce((select max(xid) from event), '0'), coalesce((select max(id) from event), 0);

create table webhook_endpoint (
  account_id           bigint not null references account,
  id                   text not null,
  url                  text not null check (length(url) between 1 and 2048),
  description          text,
  -- `transaction`: given with a transaction; `template`: for one template; `general`: for all.
  kind                 text not null check (kind in ('transaction', 'template', 'general')),
  template             text check ((template is not null) = (kind = 'template')),
  -- Names of events that are wanted, `*` for any part of a name; none for all.
  event_names          text[] not null default '{}',
  -- A transaction's deliveries one after another; the account's; or all at once.
  order_mode           text not null default 'transaction' check (order_mode in ('transaction', 'account', 'parallel')),
  max_concurrency      int not null default 10 check (max_concurrency between 1 and 100),
  max_per_second       int check (max_per_second between 1 and 1000),
  state                text not null default 'enabled' check (state in ('enabled', 'paused', 'disabled')),
  disabled_reason      text,
  disabled_at          timestamptz(3),
  -- The first event that was not delivered because of the disabling.
  disabled_from_seq    bigint,
  failing_since        timestamptz(3),
  consecutive_failures int not null default 0,
  -- Nothing is sent before then: the receiver asked for it, or the breaker is open.
  blocked_until        timestamptz(3),
  -- Ed25519 key, where signatures v1a are wanted.
  signing_key          text,
  created_at           timestamptz(3) not null,
  removed_at           timestamptz(3),
  primary key (account_id, id)
);
create unique index webhook_endpoint_of_transactions on webhook_endpoint (account_id, url) where kind = 'transaction';

-- Secrets of an endpoint, the newest first; `transactions` names those of all endpoints that come with transactions.
create table webhook_secret (
  account_id  bigint not null references account,
  endpoint_id text not null,
  secret      text not null,
  created_at  timestamptz(3) not null,
  -- Signed with until then; null for the present one.
  valid_until timestamptz(3),
  primary key (account_id, endpoint_id, secret)
);

create table webhook_delivery (
  account_id     bigint not null,
  id             bigint generated always as identity,
  endpoint_id    text not null,
  event_seq      bigint not null,
  -- 0, and higher for each time that it was asked for again.
  round          int not null default 0,
  transaction_id bigint not null,
  state          text not null default 'pending' check (state in ('pending', 'delivered', 'dead', 'skipped')),
  attempts       int not null default 0,
  due_at         timestamptz(3) not null,
  leased_until   timestamptz(3),
  created_at     timestamptz(3) not null,
  ended_at       timestamptz(3),
  primary key (account_id, id),
  unique (account_id, endpoint_id, event_seq, round),
  foreign key (account_id, endpoint_id) references webhook_endpoint
);
create index webhook_delivery_due on webhook_delivery (due_at, id) where state = 'pending';
create index webhook_delivery_in_order on webhook_delivery (account_id, endpoint_id, transaction_id, event_seq) where state = 'pending';
create index webhook_delivery_by_transaction on webhook_delivery (account_id, transaction_id);

create table webhook_attempt (
  account_id  bigint not null,
  delivery_id bigint not null,
  attempt     int not null,
  at          timestamptz(3) not null,
  duration_ms int not null,
  status      int,
  error       text,
  -- First 4 KiB of what was answered (C-64).
  answer      text,
  primary key (account_id, delivery_id, attempt),
  foreign key (account_id, delivery_id) references webhook_delivery
);
