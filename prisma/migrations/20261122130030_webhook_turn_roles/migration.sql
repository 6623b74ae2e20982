-- What the gateway's role may do with the turns of endpoints and the signs of life; it may be granted again.
grant select, insert, update on webhook_turn to crossramp_app;
grant select, insert, update, delete on webhook_worker to crossramp_app;
