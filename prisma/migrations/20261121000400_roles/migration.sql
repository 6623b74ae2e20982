-- The gateway works as crossramp_app, which can read, add transactions and events, and post through the ledger's
-- functions, but can neither write ledger tables directly nor change history. Where the migrating user may not
-- create roles, an administrator creates crossramp_app (nologin) and grants it to that user beforehand.

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
grant select on all tables in schema public to crossramp_app;
grant insert on account, api_key, template_setting, account_head, transaction, list_head, list_day, event, rate to crossramp_app;
grant update on api_key, template_setting, account_head, transaction, list_head, rate to crossramp_app;
grant update (first_seq), delete on list_day to crossramp_app;
revoke execute on function ledger_post, ledger_open, ledger_import from public;
grant execute on function ledger_post, ledger_open, ledger_import to crossramp_app;
