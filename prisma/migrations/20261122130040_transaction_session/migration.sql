-- The token of a session as a column. The index over an expression on `process` made every step of a transaction write all
-- indexes of its row anew, because `process` changes with each; now a step that changes no indexed column writes the row alone,
-- where its page has room.
alter table transaction set (fillfactor = 80);
drop index if exists transaction_by_session;
alter table transaction drop column if exists session;
alter table transaction add column session text generated always as (process ->> 'session') stored;
create unique index transaction_by_session on transaction (session) where session is not null;
