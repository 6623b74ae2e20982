-- The night's reconciliation of each rail: which day it is at, and who is at it. One row per rail; the reports are in `reconciliation`.
create table reconciliation_night (
  mode         text not null check (mode in ('sandbox', 'live')),
  rail         text not null,
  -- In Brasília.
  day          date not null,
  -- Done, one way or the other: also the day before a rail was first seen.
  is_done      boolean not null,
  -- One process at a time, on the clock of the machine; after it, whoever comes may try again.
  leased_until timestamptz(3) not null,
  -- Why the last try did not get to a report.
  trouble      text,
  primary key (mode, rail)
);
grant select, insert, update on reconciliation_night to crossramp_app;
