-- What every step of a transaction changes stands together, near the end of its row. PostgreSQL leaves what is equal at both
-- ends of a row out of its log: with the step at the beginning and the working facts at the end, the log held nearly all of it.

drop index if exists transaction_by_session, transaction_by_txid, transaction_by_outcome, transaction_by_open_refund, transaction_waiting;
alter table transaction
  drop column session, drop column txid, drop column outcome, drop column has_open_refund, drop column is_waiting;

-- Half of a page is free for the next versions of its rows, which then leave all indexes alone.
alter table transaction set (fillfactor = 50);

-- Columns that are generated are filled while the table is written anew, without a second version of each row.
alter table transaction
  add column process_moved    jsonb          generated always as (process) stored,
  add column updated_at_moved timestamptz(3) generated always as (updated_at) stored,
  add column component_moved  text           generated always as (component) stored,
  add column state_moved      text           generated always as (state) stored;
alter table transaction
  alter column process_moved    drop expression,
  alter column updated_at_moved drop expression,
  alter column component_moved  drop expression,
  alter column state_moved      drop expression;
alter table transaction drop column process, drop column updated_at, drop column component, drop column state;
alter table transaction rename column process_moved to process;
alter table transaction rename column updated_at_moved to updated_at;
alter table transaction rename column component_moved to component;
alter table transaction rename column state_moved to state;
alter table transaction
  alter column process set default '{}',
  alter column process set not null,
  alter column updated_at set not null,
  alter column component set not null,
  alter column state set not null,
  add column outcome         text    generated always as (step_outcome(component, state)) stored,
  add column has_open_refund boolean generated always as (open_refund(component, state, process)) stored,
  add column is_waiting      boolean generated always as (step_waits(component, state)) stored,
  add column session         text    generated always as (process ->> 'session') stored,
  add column txid            text    generated always as (process ->> 'txid') stored;

create unique index transaction_by_session on transaction (session) where session is not null;
create unique index transaction_by_txid on transaction (txid) where txid is not null;
create index transaction_by_outcome on transaction (account_id, family, outcome, list_seq);
create index transaction_by_open_refund on transaction (account_id, id) where has_open_refund;
create index transaction_waiting on transaction (account_id, id) where is_waiting;
