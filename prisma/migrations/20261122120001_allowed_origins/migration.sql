-- Pages of these origins may use the account's keys in a browser. A preflight carries no key, so origins are looked up alone.
alter table account add column allowed_origins text[] not null default '{}';
create index account_allowed_origins_idx on account using gin (allowed_origins);
grant update (allowed_origins) on account to crossramp_app;
