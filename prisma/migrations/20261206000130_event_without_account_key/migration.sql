-- Drops the key of `event` to `account` where a database has it from before 1.0: the migration that dropped these keys missed it, because
-- the table had been made anew and the name of its key had a number (docs/decisions/0043-what-a-write-costs.md).
alter table event drop constraint if exists event_account_id_fkey1;
