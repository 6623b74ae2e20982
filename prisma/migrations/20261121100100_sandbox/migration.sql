-- State of the sandbox rails: their clock, what they were asked for, and what they were told to do otherwise.

create table sandbox_clock (
  singleton boolean primary key default true check (singleton),
  -- What the sandbox adds to the time of the machine.
  ahead_ms  bigint not null default 0
);
insert into sandbox_clock default values;

-- Orders to the sandbox rails, each once under its key: a repeated order is the same order.
create table sandbox_order (
  account_id bigint not null references account,
  key        text not null,
  kind       text not null,
  request    jsonb not null,
  primary key (account_id, key)
);

-- What is to happen to a transaction instead of the happy way, once it gets there.
create table sandbox_plan (
  account_id     bigint not null references account,
  transaction_id bigint not null,
  scenario       text not null,
  primary key (account_id, transaction_id, scenario)
);
