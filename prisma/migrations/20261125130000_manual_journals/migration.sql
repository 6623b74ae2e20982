-- Journals by hand on house accounts of an account: one proposes, another one approves (docs/ledger.md).
create table manual_journal (
  id           bigint generated always as identity primary key,
  mode         text not null,
  account_id   bigint not null references account,
  -- House accounts by their names in the chart.
  debit        text not null,
  credit       text not null,
  currency     text not null,
  amount_minor numeric(78, 0) not null,
  reason       text not null,
  -- Id of the key or person that proposed it.
  maker        text not null,
  made_at      timestamptz(3) not null,
  state        text not null default 'proposed',
  decided_by   text,
  decided_at   timestamptz(3),
  journal_id   bigint,
  check (mode in ('sandbox', 'live')),
  check (state in ('proposed', 'posted', 'rejected')),
  check (amount_minor > 0 and debit <> credit),
  check ((state = 'proposed') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  check ((state = 'posted') = (journal_id is not null))
);
create index manual_journal_by_mode on manual_journal (mode, id desc);

grant select, insert on manual_journal to crossramp_app;
grant update (state, decided_by, decided_at, journal_id) on manual_journal to crossramp_app;
