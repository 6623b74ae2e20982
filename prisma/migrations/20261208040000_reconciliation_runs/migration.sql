-- Reconciliations that a process is making now, with their progress; the row goes with the report. Rows of a process that died are
-- not shown: their time is not renewed.
create table reconciliation_run (
  mode    text not null check (mode in ('sandbox', 'live')),
  rail    text not null,
  -- In Brasília.
  day     date not null,
  -- Of two runs of a day the newer one is shown.
  id      text not null,
  phase   text not null check (phase in ('rows', 'blocks', 'comparing')),
  done    int not null default 0,
  -- Null while it is not known.
  total   int,
  -- On the clock of the machine; renewed every second.
  seen_at timestamptz(3) not null,
  primary key (mode, day, rail)
);

grant select, insert, update, delete on reconciliation_run to crossramp_app;

insert into migration_reach values ('20261208040000_reconciliation_runs', '1.0.0');
