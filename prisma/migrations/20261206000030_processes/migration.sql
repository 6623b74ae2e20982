-- Processes of transactions: jobs, idempotency keys, quotes, deposit slots, payout destinations, static links and money out.

-- Work to do after a commit or at a time: written by the transaction that makes it due, so none is lost. No key to `account`, as
-- `transaction` has none.
create table job (
  account_id     bigint not null,
  id             bigint generated always as identity,
  -- Part of the primary key, which finds a job and the jobs of a transaction alike; 0, the id of none, for a job of no transaction.
  transaction_id bigint not null default 0,
  kind           text not null,
  payload        jsonb not null default '{}',
  -- On the clock of the processes, which is virtual in a sandbox.
  due_at         timestamptz(3) not null,
  attempts       int not null default 0,
  -- On the clock of the database: the jobs of a worker that dies are released.
  leased_until   timestamptz(3),
  last_error     text,
  -- Worker that has leased the job: one whose answer to a claim was lost releases what it does not know of.
  leased_by      text,
  -- Worker of the process that made the job, which claims it first: two processes on one account then do not divide each transaction
  -- between them. Null: made by a process without a worker, for the first that comes.
  worker         integer,
  -- Which clock `due_at` is on.
  is_live        boolean not null default false,
  primary key (account_id, transaction_id, id)
);
-- A part for each clock: however far the clock of the sandbox is ahead, no claim looks at timers of live accounts that are not due.
create index job_by_clock on job (is_live, due_at, id);
-- Jobs that failed, of one account and of all.
create index job_failing on job (account_id) where last_error is not null;
-- Conversions that are booked and not answered yet.
create index job_of_swaps on job (account_id, id) where kind = 'swap';

-- Answers stored under the caller's Idempotency-Key (C-52).
create table idempotency_key (
  account_id   bigint not null,
  route        text not null,
  key          text not null,
  request_hash bytea not null,
  -- Set as soon as the transaction that the request made is committed.
  end2end      text,
  status       smallint,
  answer       text,
  -- The attempt that holds the lease: a slow one that comes after another took over changes nothing.
  attempt      int not null default 1,
  leased_until timestamptz(3) not null,
  created_at   timestamptz(3) not null default now(),
  primary key (account_id, route, key)
);
create index idempotency_key_by_age on idempotency_key (created_at);

-- Prices that were promised for a time (C-21).
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
-- Retention deletes old rows in small batches (src/store/retention.ts): a BRIN index of a time finds them and costs next to nothing.
create index quote_by_age on quote using brin (expires_at) with (pages_per_range = 32);

-- Next index of each family of deposit addresses, so that no address is given out twice.
create table deposit_index (
  chain text primary key,
  next  int not null default 0 check (next >= 0)
);

-- Exact amounts that identify a deposit: one session at a time, and for a time after its end.
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
create index deposit_slot_by_age on deposit_slot using brin (held_until) with (pages_per_range = 32);

-- Groups of payout destinations (C-22).
create table whitelist_group (
  account_id bigint not null references account,
  id         text not null,
  name       text not null check (length(name) between 1 and 200),
  created_at timestamptz(3) not null,
  primary key (account_id, id)
);

-- A payout destination: an address or a PIX key that withdrawals may go to (C-22).
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
  -- Proof that a person chose the destination, made outside of the gateway: the signer asks for it (docs/signer.md).
  proof        jsonb,
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

-- Money that left an account, or waits to, by the rule for money out (C-25): thresholds of a day and ceilings of an hour are compared with
-- it, over all kinds.
create table money_out (
  account_id     bigint not null references account,
  transaction_id bigint not null,
  -- Id of the return, of a refund; position of the step otherwise; `held` while it waits for approval.
  ref            text not null,
  kind           text not null check (kind in ('withdrawal', 'payout', 'refund', 'redirect')),
  -- Key or person that asked for it.
  maker          text not null,
  brl            numeric not null,
  -- Network of an address, type of a PIX key, or `payer`; and the address, the key, or the payer's tax id.
  target_type    text not null,
  target         text not null,
  -- Held; left unapproved; left with one approval; left above a ceiling, with two.
  state          text not null check (state in ('held', 'passed', 'approved', 'lifted')),
  at             timestamptz(3) not null,
  primary key (account_id, transaction_id, ref)
);
create index money_out_by_time on money_out (account_id, at);
create index money_out_by_target on money_out (account_id, target, at);
create index money_out_held on money_out (account_id, at) where state = 'held';

-- Money out by minute, so that the sums of a day and an hour do not grow with the number of payments: left unapproved, and approved.
create table money_out_minute (
  account_id bigint not null references account,
  minute     timestamptz(0) not null,
  passed     numeric not null,
  approved   numeric not null,
  primary key (account_id, minute)
);
