-- What the gateway's role may do with the places of the relay; it may be granted again.
grant select, insert, update on relay_place to crossramp_app;
grant select, insert, delete on relay_queue to crossramp_app;
