-- Books of the house: closed days, journals by hand, and reports of reconciliation (docs/ledger.md, docs/operations.md).

-- A day in Brasília whose books are closed: no journal comes into it any more, and its movements are stored with a hash.
create table book_close (
  mode          text not null check (mode in ('sandbox', 'live')),
  day           date not null,
  closed_at     timestamptz(3) not null,
  -- Actor that closed it, as the audit log names actors.
  closed_by     text not null,
  -- Of the close before it; null for the first.
  previous_hash bytea,
  -- SHA-256 of the previous hash and of the movements.
  hash          bytea not null,
  primary key (mode, day)
);

-- Movements of a closed day by ledger account; a credit balance is above zero.
create table book_close_line (
  mode              text not null,
  day               date not null,
  account_id        bigint not null,
  ledger_account_id bigint not null,
  opening           numeric(78, 0) not null,
  debits            numeric(78, 0) not null,
  credits           numeric(78, 0) not null,
  closing           numeric(78, 0) not null,
  primary key (mode, day, account_id, ledger_account_id),
  foreign key (mode, day) references book_close,
  check (debits >= 0 and credits >= 0 and closing = opening - debits + credits)
);
create index book_close_line_by_account on book_close_line (account_id, day);

create trigger append_only before update or delete or truncate on book_close for each statement execute function deny_change();
create trigger append_only before update or delete or truncate on book_close_line for each statement execute function deny_change();
alter table book_close enable always trigger append_only;
alter table book_close_line enable always trigger append_only;

-- Journals by hand on house accounts of an account: one person proposes, another one approves. L65 and L66 are capital, which needs two
-- people as well (docs/security.md).
create table manual_journal (
  id           bigint generated always as identity primary key,
  mode         text not null check (mode in ('sandbox', 'live')),
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
  state        text not null default 'proposed' check (state in ('proposed', 'posted', 'rejected')),
  decided_by   text,
  decided_at   timestamptz(3),
  journal_id   bigint,
  name         text not null default 'manual' check (name in ('manual', 'L65', 'L66')),
  check (amount_minor > 0 and debit <> credit),
  check ((state = 'proposed') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  check ((state = 'posted') = (journal_id is not null))
);
create index manual_journal_by_mode on manual_journal (mode, id desc);

-- Reports of reconciliation: the statement of a rail for a day, or a file, compared with the ledger. The rail is PIX (`pix`), a network by
-- its name, or what a file is of.
create table reconciliation (
  id              bigint generated always as identity primary key,
  mode            text not null check (mode in ('sandbox', 'live')),
  rail            text not null check (rail ~ '^[A-Za-z0-9]{1,20}$'),
  -- In Brasília; of a day that was not over, up to `until`.
  day             date not null,
  until           timestamptz(3) not null,
  made_at         timestamptz(3) not null,
  -- Actor that asked for it, as the audit log names actors.
  made_by         text not null,
  matched         int not null check (matched >= 0),
  missing_here    int not null check (missing_here >= 0),
  missing_there   int not null check (missing_there >= 0),
  amount_differs  int not null check (amount_differs >= 0),
  in_suspense     int not null check (in_suspense >= 0),
  -- Null where nothing is open.
  oldest_open_at  timestamptz(3),
  -- The first of them, the oldest first.
  findings        jsonb not null,
  -- Both have it, and it went to another address, or is another currency.
  details_differ  int not null default 0 check (details_differ >= 0),
  balances_differ int not null default 0 check (balances_differ >= 0),
  -- By currency: there, here, in flight.
  balances        jsonb not null default '[]',
  -- Digest of a file of a bank, of which one report is made; null for those of a rail.
  source          text,
  -- Which line of the ledger stands for which entry that no rail event tells of, and which entries that nobody ordered wait for a booking:
  -- a line stands for one entry, whatever the days of both.
  entries         jsonb not null default '[]'
);
create index reconciliation_by_day on reconciliation (mode, day desc, id desc);
create index reconciliation_by_rail on reconciliation (mode, rail, day desc, id desc);
create unique index reconciliation_by_source on reconciliation (mode, source, day) where source is not null;

create trigger append_only before update or delete or truncate on reconciliation for each statement execute function deny_change();
alter table reconciliation enable always trigger append_only;

-- Nightly reconciliation of each rail: the day it has reached, and its lease. One row per rail.
create table reconciliation_night (
  mode         text not null check (mode in ('sandbox', 'live')),
  rail         text not null,
  -- In Brasília.
  day          date not null,
  -- Done, one way or the other: also the day before a rail was first seen.
  is_done      boolean not null,
  -- One process at a time, on the clock of the machine; after it, any process may try again.
  leased_until timestamptz(3) not null,
  -- Reason why the last attempt did not get to a report.
  trouble      text,
  primary key (mode, rail)
);
