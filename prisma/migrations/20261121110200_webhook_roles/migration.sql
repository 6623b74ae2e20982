-- What the gateway's role may do with the event log and the webhooks; it may be granted again.
grant select, insert on event to crossramp_app;
grant usage on sequence event_id to crossramp_app;
grant select on event_floor to crossramp_app;
revoke execute on function event_partitions, event_retire from public;
grant execute on function event_partitions, event_retire to crossramp_app;
grant select, update on relay_cursor to crossramp_app;
grant select, insert, update on webhook_endpoint, webhook_secret, webhook_delivery to crossramp_app;
grant select, insert on webhook_attempt to crossramp_app;
grant delete on webhook_secret to crossramp_app;
