-- What is on its way back to a payer, or failed to go and is still owed, is found without reading all transactions. History that
-- was imported has no working facts, and waits for nobody.
create function open_refund(component text, state text, process jsonb) returns boolean language sql immutable parallel safe
  return process @> '{"returns": [{"state": "requested"}]}' or process @> '{"returns": [{"state": "failed"}]}'
    or component = 'refund' and state in ('INITIAL', 'ERROR') and process <> '{}';
alter table transaction add column has_open_refund boolean
  generated always as (open_refund(component, state, process)) stored;
create index transaction_by_open_refund on transaction (account_id, id) where has_open_refund;
