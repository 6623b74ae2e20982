-- State of the sandbox rails: their clock, their orders, and the scenarios that were asked for.

-- Clock of the sandbox.
create table sandbox_clock (
  singleton boolean primary key default true check (singleton),
  -- Added to the time of the machine.
  ahead_ms  bigint not null default 0
);
insert into sandbox_clock default values;

-- Orders to the sandbox rails, each once under its key: a repeated order is the same order. A job's order has the id of the job as its key,
-- a third of the name of its transaction, and in the order of time (bench/notes/what-a-write-logs.md). No key to `account`, as `transaction` has none.
create table sandbox_order (
  account_id     bigint not null,
  key            text not null,
  kind           text not null,
  request        jsonb not null,
  placed_at      timestamptz(3) not null default now(),
  -- Null for money that no transaction took.
  transaction_id bigint,
  primary key (account_id, key)
);
create index sandbox_order_by_age on sandbox_order using brin (placed_at) with (pages_per_range = 32);

-- Scenario of a transaction that replaces the happy way, once it gets there.
create table sandbox_plan (
  account_id     bigint not null references account,
  transaction_id bigint not null,
  scenario       text not null,
  primary key (account_id, transaction_id, scenario)
);
