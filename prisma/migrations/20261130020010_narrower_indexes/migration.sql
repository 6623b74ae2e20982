-- Two indexes end with what they find things by. A transaction has some ten events, and an object few entries of the audit log: these are
-- put in order when they are read. Keys that are equal share one place in an index: it takes less disk, seldom divides a page in
-- two, and logs less (docs/decisions/0047-what-a-write-logs.md).
drop index event_by_transaction;
create index event_by_transaction on event (account_id, transaction_id);
drop index audit_entry_by_object;
create index audit_entry_by_object on audit_entry (account_id, object_id);
