-- The code of a PIX charge is a third of the working facts of its transaction and never changes. Among them it was logged with nearly each
-- step; it now stands behind what steps change (docs/decisions/0047-what-a-write-logs.md). Rows that have it among their working facts keep
-- it there until their next step. Nothing is written anew.
alter table transaction add column br_code text;
