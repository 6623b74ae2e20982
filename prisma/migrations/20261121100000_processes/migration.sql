-- What the processes work with: jobs, rail events, idempotency keys, quotes, deposit slots, whitelists, static links.

-- Working facts of a process that are not published: charge, amounts really paid, approvals (src/templates/facts.ts).
alter table transaction add column process jsonb not null default '{}';
create unique index transaction_by_session on transaction ((process ->> 'session')) where process ? 'session';

-- Rules that hold for a whole account.
create table account_setting (
  account_id                 bigint primary key references account,
  whitelist_cooling_seconds  int not null default 86400 check (whitelist_cooling_seconds between 0 and 2592000),
  -- A withdrawal worth more than this many BRL needs a second approver; null for never.
  approval_above             numeric check (approval_above >= 0)
);
insert into account_setting (account_id, whitelist_cooling_seconds)
  select id, case when handle = 'sandbox' then 0 else 86400 end from account;

-- Work to do after a commit or at a time: written by the transaction that makes it due, so none is lost.
create table job (
  account_id     bigint not null references account,
  id             bigint generated always as identity,
  transaction_id bigint,
  kind           text not null,
  payload        jsonb not null default '{}',
  -- On the clock of the processes, which is virtual in a sandbox.
  due_at         timestamptz(3) not null,
  attempts       int not null default 0,
  -- On the clock of the database: a worker that dies gives its jobs back.
  leased_until   timestamptz(3),
  last_error     text,
  primary key (account_id, id)
);
create index job_by_due_time on job (due_at, id);
create index job_by_transaction on job (account_id, transaction_id);

-- Natural keys of what rails told: the same event acts once (C-33).
create table rail_event (
  account_id     bigint not null references account,
  key            text not null,
  transaction_id bigint not null,
  primary key (account_id, key)
);

-- Answers kept under the caller's Idempotency-Key (C-52).
create table idempotency_key (
  account_id   bigint not null references account,
  route        text not null,
  key          text not null,
  request_hash bytea not null,
  -- Set as soon as the transaction that the request made is committed.
  end2end      text,
  status       smallint,
  answer       text,
  -- Who works on it: one who is slow and comes after another took over changes nothing.
  attempt      int not null default 1,
  leased_until timestamptz(3) not null,
  created_at   timestamptz(3) not null default now(),
  primary key (account_id, route, key)
);
create index idempotency_key_by_age on idempotency_key (created_at);

-- Prices that were promised for a while (C-21).
create table quote (
  account_id    bigint not null references account,
  id            text not null,
  template      text not null,
  currency      text not null,
  quote         numeric not null,
  ref_quote     numeric not null,
  brl_amount    numeric not null,
  fees          numeric not null,
  crypto_amount numeric not null,
  network_fee   numeric not null,
  created_at    timestamptz(3) not null,
  expires_at    timestamptz(3) not null,
  used_at       timestamptz(3),
  primary key (account_id, id)
);

-- Where deposits are received: one counter per key family, so that no address is given out twice.
create table deposit_index (
  chain text primary key,
  next  int not null default 0 check (next >= 0)
);

-- Exact amounts that identify a deposit: one session at a time, and for a while after its end (domain.md 4.3).
create table deposit_slot (
  address        text not null,
  currency       text not null,
  amount_minor   numeric(78, 0) not null check (amount_minor > 0),
  account_id     bigint not null references account,
  transaction_id bigint not null,
  held_until     timestamptz(3) not null,
  primary key (address, currency, amount_minor)
);
create index deposit_slot_by_transaction on deposit_slot (account_id, transaction_id);

-- Whom withdrawals may go to (C-22).
create table whitelist_group (
  account_id bigint not null references account,
  id         text not null,
  name       text not null check (length(name) between 1 and 200),
  created_at timestamptz(3) not null,
  primary key (account_id, id)
);
create table whitelist_entry (
  account_id   bigint not null,
  group_id     text not null,
  id           text not null,
  label        text,
  -- Of an on-chain address; null for a PIX key.
  network      text,
  -- Of a PIX key; null for an address.
  pix_key_type text,
  -- Canonical address or PIX key.
  target       text not null,
  created_at   timestamptz(3) not null,
  usable_at    timestamptz(3) not null,
  removed_at   timestamptz(3),
  primary key (account_id, id),
  foreign key (account_id, group_id) references whitelist_group,
  check ((network is null) <> (pix_key_type is null))
);
create unique index whitelist_entry_once on whitelist_entry (account_id, group_id, coalesce(network, pix_key_type), target)
  where removed_at is null;

-- Links that open a new checkout session at each visit (C-20).
create table static_link (
  account_id    bigint not null references account,
  slug          text not null unique,
  name          text not null check (length(name) between 1 and 200),
  currency      text not null,
  -- BRL; null where the customer enters it.
  amount        numeric check (amount > 0),
  external_code text,
  return_url    text,
  webhook       text,
  expires_in    int not null,
  created_at    timestamptz(3) not null,
  disabled_at   timestamptz(3),
  primary key (account_id, slug)
);
