-- Rights of the gateway, which works as crossramp_app: it can read, add transactions and events, and post through the ledger's functions,
-- but can neither write ledger tables directly nor change history. Where the migrating user may not create roles, an administrator creates
-- crossramp_app (nologin) and grants it to that user beforehand. This migration may be applied again.

do $$
begin
  if not exists (select from pg_roles where rolname = 'crossramp_app') then
    create role crossramp_app nologin;
  end if;
exception when duplicate_object or unique_violation then null;  -- another database of the cluster was faster
end $$;
do $$
begin
  if not pg_has_role(current_user, 'crossramp_app', 'set') then
    execute format('grant crossramp_app to %I', current_user);
  end if;
end $$;

do $$ begin execute format('grant usage on schema public to crossramp_app'); end $$;
-- A file of history waits in temporary tables until all of it has been read.
do $$ begin execute format('grant temporary on database %I to crossramp_app', current_database()); end $$;

-- The gateway looks whether a migration is missing. Prisma makes this table before the first migration.
do $$
begin
  if to_regclass('_prisma_migrations') is not null then grant select on _prisma_migrations to crossramp_app; end if;
end $$;

-- Accounts and people.
grant select, insert on account, invitation_maker to crossramp_app;
grant update (allowed_origins) on account to crossramp_app;
grant update (confirmed_by, confirmed_at) on invitation_maker to crossramp_app;
grant select, insert, update on account_head, account_setting, api_key, template_setting, template_limit, branding, customer, volume_day,
  person to crossramp_app;
grant select, insert, delete on person_identity, passkey_challenge to crossramp_app;
grant select, insert, update, delete on setting_change, membership, person_session, person_link, passkey, sign_in_try, saved_view
  to crossramp_app;

-- Transactions and processes.
grant select on list_outcome, list_pix to crossramp_app;
grant select, insert, update on transaction, transaction_record, list_head, deposit_index, whitelist_group, whitelist_entry, static_link
  to crossramp_app;
grant select, insert, update (first_seq), delete on list_day to crossramp_app;
grant select, insert, update, delete on job, idempotency_key, quote, deposit_slot, money_out, money_out_minute to crossramp_app;
revoke execute on function list_facts_moved from public;
grant execute on function list_facts_moved to crossramp_app;

-- Ledger and books.
grant select on ledger_account, ledger_balance, journal, ledger_line, ledger_day to crossramp_app;
grant select, insert on book_close, book_close_line, manual_journal, reconciliation to crossramp_app;
grant update (state, decided_by, decided_at, journal_id) on manual_journal to crossramp_app;
grant select, insert, update on reconciliation_night to crossramp_app;
revoke execute on function ledger_post, ledger_open, ledger_import from public;
grant execute on function ledger_post, ledger_open, ledger_import to crossramp_app;

-- Events and webhooks. Partitions of events have no rights of their own: they are reached through `event`.
grant select on event_floor to crossramp_app;
grant select, insert on event, event_form to crossramp_app;
grant select, insert, update on relay_place, webhook_endpoint to crossramp_app;
grant select, insert, delete on relay_queue, webhook_attempt to crossramp_app;
grant select, insert, update, delete on webhook_secret, webhook_delivery, webhook_turn, webhook_worker to crossramp_app;
revoke execute on function event_month, event_partitions, event_settle, event_retire from public;
grant execute on function event_partitions, event_settle, event_retire to crossramp_app;

-- Rails and sandbox.
grant select, insert on chain_address, inventory_conversion to crossramp_app;
grant select, insert, update on rate, rate_feed, suspense_entry, pix_order, pix_cursor, chain_network, chain_order, chain_attempt,
  chain_arrival, sandbox_clock to crossramp_app;
grant select, insert, delete on sandbox_plan to crossramp_app;
grant select, insert, update, delete on rail_news, pix_look_up, chain_block, sandbox_order to crossramp_app;

-- Operation.
grant select on request_log to crossramp_app;
grant select, insert on audit_entry to crossramp_app;
grant select, update on readiness_probe, retention_time to crossramp_app;
grant select, insert, delete on request_batch, request_term, secret_key to crossramp_app;
