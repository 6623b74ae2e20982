-- What waits for somebody's decision is found without reading what is open: over all accounts, too.

-- Steps at which an approval, a held deposit or a hold is decided. They are few and off the usual way, so that the steps of most
-- transactions leave the index alone.
create function step_waits(component text, state text) returns boolean language sql immutable parallel safe
  return (component || '/' || state) in (
    'approval_withdrawl_dash/PENDING', 'compliance/UNCOMPLIANT', 'crypto_deposit/UNDERPAID', 'crypto_deposit/OVERPAID',
    'crypto_deposit/LATE', 'pix_out/REJECTED', 'swap_transfer/ERROR');
alter table transaction add column is_waiting boolean generated always as (step_waits(component, state)) stored;
create index transaction_waiting on transaction (account_id, id) where is_waiting;

-- Jobs that failed, of one account and of all.
create index job_failing on job (account_id) where last_error is not null;

-- Money in suspense that waits for a decision, without what was decided before.
create index suspense_entry_open on suspense_entry (account_id, id) where state = 'open';
