-- What the gateway's role may do with the look of hosted pages; it may be granted again.
grant select, insert, update on branding to crossramp_app;
