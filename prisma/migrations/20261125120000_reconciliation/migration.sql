-- Reports of reconciliation: the statement of a rail for a day, held against the ledger (docs/operations.md).

create table reconciliation (
  id             bigint generated always as identity primary key,
  mode           text not null check (mode in ('sandbox', 'live')),
  rail           text not null check (rail in ('pix')),
  -- In Brasília; of a day that was not over, up to `until`.
  day            date not null,
  until          timestamptz(3) not null,
  made_at        timestamptz(3) not null,
  -- Who asked for it, as the audit log names actors.
  made_by        text not null,
  matched        int not null check (matched >= 0),
  missing_here   int not null check (missing_here >= 0),
  missing_there  int not null check (missing_there >= 0),
  amount_differs int not null check (amount_differs >= 0),
  in_suspense    int not null check (in_suspense >= 0),
  -- Null where nothing is open.
  oldest_open_at timestamptz(3),
  -- The first of them, the oldest first.
  findings       jsonb not null
);
create index reconciliation_by_day on reconciliation (mode, day desc, id desc);

create trigger append_only before update or delete or truncate on reconciliation for each statement execute function deny_change();
alter table reconciliation enable always trigger append_only;

grant select, insert on reconciliation to crossramp_app;
