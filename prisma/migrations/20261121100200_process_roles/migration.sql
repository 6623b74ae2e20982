-- What the gateway's role may do with the tables of the processes and of the sandbox; it may be granted again.
grant select, insert, update on account_setting, job, rail_event, idempotency_key, quote, deposit_index, deposit_slot,
  whitelist_group, whitelist_entry, static_link, sandbox_clock, sandbox_order to crossramp_app;
grant select, insert, delete on sandbox_plan to crossramp_app;
grant delete on job, idempotency_key to crossramp_app;
