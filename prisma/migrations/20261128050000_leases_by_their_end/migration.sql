-- Looks for deliveries begin behind what was delivered: PostgreSQL keeps that in the indexes for as long as any database transaction is open
-- that began before.

-- Those whose lease has not ended.
drop index webhook_delivery_under_way;
create index webhook_delivery_under_way on webhook_delivery (account_id, endpoint_id, leased_until)
  where state = 'pending' and leased_until is not null;
drop index webhook_delivery_of_worker;
create index webhook_delivery_of_worker on webhook_delivery (leased_by, leased_until) where leased_by is not null;
-- The oldest first; of one step of the relay in the order of the log.
drop index webhook_delivery_next_due;
create index webhook_delivery_next_due on webhook_delivery (account_id, endpoint_id, due_at, id) where ended_at is null;
