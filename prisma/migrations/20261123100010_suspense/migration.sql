-- Money that came and that no transaction took: booked in `L.suspense` of its account, until somebody assigns it or sends it
-- back (C-34).

create table suspense_entry (
  id             bigint generated always as identity primary key,
  account_id     bigint not null references account,
  news_id        bigint not null unique references rail_news,
  -- The transaction that it came for; null where that is not known.
  transaction_id bigint,
  currency       text not null,
  amount_minor   numeric(78, 0) not null check (amount_minor > 0),
  reason         text not null check (reason in ('not_due', 'second_payment', 'no_transaction', 'unknown')),
  journal_id     bigint not null,
  state          text not null default 'open' check (state in ('open', 'assigned', 'returning', 'returned')),
  -- Where it was assigned to.
  assigned_to    bigint references account,
  decided_by     text,
  decided_at     timestamptz(3),
  opened_at      timestamptz(3) not null,
  check ((state = 'open') = (decided_at is null)),
  check ((state = 'assigned') = (assigned_to is not null))
);
create index suspense_entry_by_account on suspense_entry (account_id, id);
create index suspense_entry_waiting on suspense_entry (id) where state in ('open', 'returning');
grant select, insert, update on suspense_entry to crossramp_app;
