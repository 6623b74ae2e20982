-- An endpoint that was removed has no turn any more; it may be granted again.
grant delete on webhook_turn to crossramp_app;
delete from webhook_turn w using webhook_endpoint p where p.account_id = w.account_id and p.id = w.endpoint_id and p.removed_at is not null;
