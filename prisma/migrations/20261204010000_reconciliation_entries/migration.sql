-- A line of the ledger stands for one entry, whatever the days of both: each report keeps which line stands for which entry that no news
-- tells of, and which entries that nobody ordered wait for a booking. Reports that were made before say nothing of that.
alter table reconciliation add column entries jsonb not null default '[]';
