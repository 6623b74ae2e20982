-- What follows when the lock of a price ends before its session (C-21): a payment is priced when it arrives, or the session
-- ends with the lock and its payer is offered a new price.
alter table account_setting add column after_lock text not null default 'REPRICE' check (after_lock in ('REPRICE', 'END'));
