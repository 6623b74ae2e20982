-- Protections of an account that were loosened, until the cooling time that was in force is over (C-40); one of each name.
create table setting_change (
  account_id   bigint not null references account,
  name         text not null check (name in ('whitelistCoolingSeconds', 'approvalAbove')),
  value        text,
  asked_at     timestamptz(3) not null,
  asked_by     text not null,
  effective_at timestamptz(3) not null,
  primary key (account_id, name)
);
grant select, insert, update, delete on setting_change to crossramp_app;
