-- Each of these keys made PostgreSQL look up, and lock, the row of the account for every row that was written: 27 times for an
-- onramp. What they held is held by what every writer does first (docs/decisions/0043-what-a-write-costs.md): it locks
-- `account_head`, which keeps its key to `account`, and the row of which no role of the gateway can delete.
alter table transaction drop constraint if exists transaction_account_id_fkey;
alter table event drop constraint if exists event_account_id_fkey;
alter table journal drop constraint if exists journal_account_id_fkey;
alter table job drop constraint if exists job_account_id_fkey;
alter table audit_entry drop constraint if exists audit_entry_account_id_fkey;
alter table rail_news drop constraint if exists rail_news_account_id_fkey;
alter table sandbox_order drop constraint if exists sandbox_order_account_id_fkey;
alter table idempotency_key drop constraint if exists idempotency_key_account_id_fkey;
