-- The index of the events of a transaction ends with what it finds them by: a transaction has some ten, and they are put in order when they
-- are read. Keys that are equal share one place in an index: it takes less disk, seldom divides a page in two, and logs less
-- (docs/decisions/0047-what-a-write-logs.md). Events can be read while the new one is built.
create index event_of_transaction on event (account_id, transaction_id);
drop index event_by_transaction;
alter index event_of_transaction rename to event_by_transaction;
