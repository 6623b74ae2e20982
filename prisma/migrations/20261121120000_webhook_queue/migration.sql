-- What the relay and the pumps of webhooks ask for all the time.

-- Endpoints that are not of transactions: an account may have thousands of those.
create index if not exists webhook_endpoint_of_account on webhook_endpoint (account_id, kind, template)
  where kind <> 'transaction' and removed_at is null;
-- How many deliveries of an endpoint are under way, whatever waits.
create index if not exists webhook_delivery_under_way on webhook_delivery (account_id, endpoint_id)
  where state = 'pending' and leased_until is not null;
-- Rounds of one event below zero are tests.
comment on column webhook_delivery.round is '0; higher for each time that it was asked for again; below 0 for tests';
