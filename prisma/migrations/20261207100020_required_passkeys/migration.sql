-- Roles whose people act on the account with a fresh passkey alone.
alter table account add column passkey_roles text[] not null default '{}';
grant update (passkey_roles) on account to crossramp_app;
insert into migration_reach values ('20261207100020_required_passkeys', '1.0.0');
