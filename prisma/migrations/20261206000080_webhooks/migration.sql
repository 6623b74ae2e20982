-- Webhooks: endpoints, deliveries, and every attempt (C-60 to C-65).

-- An address that receives events.
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
  -- A transaction's deliveries one after another; the account's; or all at the same time.
  order_mode           text not null default 'transaction' check (order_mode in ('transaction', 'account', 'parallel')),
  -- A cycle of lease, request and result takes about 20 ms under load: ten at the same time were just enough for 500 events a second.
  max_concurrency      int not null default 20 check (max_concurrency between 1 and 100),
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
  -- First event that it receives: none from before it was created, also when the relay is behind. 0 for all events.
  from_seq             bigint not null default 0,
  primary key (account_id, id)
);
create unique index webhook_endpoint_of_transactions on webhook_endpoint (account_id, url) where kind = 'transaction';
-- Endpoints that are not of transactions: an account may have thousands of those.
create index webhook_endpoint_of_account on webhook_endpoint (account_id, kind, template) where kind <> 'transaction' and removed_at is null;
-- Rows that an earlier version stored unsealed: none, after the first start of one that seals.
create index webhook_endpoint_unsealed on webhook_endpoint (account_id) where signing_key not like 's1.%';

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
create index webhook_secret_unsealed on webhook_secret (account_id) where secret not like 's1.%';

-- A delivery of an event to an endpoint. There is no index by the time at which all are due: while the statistics say that nothing waits, it
-- looked as good to PostgreSQL as the one of their order, and was read whole for each delivery of a backlog.
create table webhook_delivery (
  account_id     bigint not null,
  id             bigint generated always as identity,
  endpoint_id    text not null,
  event_seq      bigint not null,
  -- 0; higher for each time that it was asked for again; below 0 for tests.
  round          int not null default 0,
  transaction_id bigint not null,
  state          text not null default 'pending' check (state in ('pending', 'delivered', 'dead', 'skipped')),
  attempts       int not null default 0,
  due_at         timestamptz(3) not null,
  leased_until   timestamptz(3),
  created_at     timestamptz(3) not null,
  ended_at       timestamptz(3),
  leased_by      text,
  -- Asked for by hand: sent past the breaker, pauses that the receiver asked for, and order.
  at_once        boolean not null default false,
  primary key (account_id, id),
  unique (account_id, endpoint_id, event_seq, round),
  foreign key (account_id, endpoint_id) references webhook_endpoint
);
create index webhook_delivery_in_order on webhook_delivery (account_id, endpoint_id, transaction_id, event_seq) where state = 'pending';
create index webhook_delivery_by_transaction on webhook_delivery (account_id, transaction_id);
create index webhook_delivery_at_once on webhook_delivery (account_id, endpoint_id) where at_once and state = 'pending';
-- Number of deliveries of an endpoint under way, whose lease has not ended. Looks begin behind what was delivered, which PostgreSQL leaves
-- in the indexes for as long as any database transaction is open that began before.
create index webhook_delivery_under_way on webhook_delivery (account_id, endpoint_id, leased_until)
  where state = 'pending' and leased_until is not null;
create index webhook_delivery_of_worker on webhook_delivery (leased_by, leased_until) where leased_by is not null;
-- The next one that is due, the oldest first. Its condition is `ended_at is null`, so that no question by `state` is ever planned over it.
create index webhook_delivery_next_due on webhook_delivery (account_id, endpoint_id, due_at, id) where ended_at is null;
create index webhook_delivery_by_age on webhook_delivery using brin (created_at) with (pages_per_range = 32);

-- An attempt to deliver.
create table webhook_attempt (
  account_id  bigint not null,
  delivery_id bigint not null,
  attempt     int not null,
  at          timestamptz(3) not null,
  duration_ms int not null,
  status      int,
  error       text,
  -- First 4 KiB of the answer (C-64).
  answer      text,
  primary key (account_id, delivery_id, attempt),
  foreign key (account_id, delivery_id) references webhook_delivery
);
create index webhook_attempt_by_age on webhook_attempt using brin (at) with (pages_per_range = 32);

-- Endpoints for which something waits, by the time of their next turn: a pump asks for those whose time has come and locks those alone.
create table webhook_turn (
  account_id  bigint not null,
  endpoint_id text not null,
  -- Nothing of the endpoint can be sent before then; infinity: not until something changes that.
  at          timestamptz(3) not null,
  primary key (account_id, endpoint_id)
);
create index webhook_turn_in_order on webhook_turn (at);

-- Signs of life of the processes that deliver: the leases of one that died are known as soon as its sign is missing, not only when they end.
create table webhook_worker (
  id      text primary key,
  -- On the clock of its machine.
  seen_at timestamptz(3) not null
);
