-- Limits that an account sets itself, within those of the platform (C-21, C-40); null where those of the platform hold.
create table template_limit (
  account_id           bigint not null references account,
  template             text not null,
  amount_min           numeric check (amount_min >= 0),
  amount_max           numeric check (amount_max >= 0),
  customer_step_up_30d numeric check (customer_step_up_30d >= 0),
  customer_limit_daily numeric check (customer_limit_daily >= 0),
  primary key (account_id, template)
);
grant select, insert, update on template_limit to crossramp_app;

-- Loosening a limit of a customer or of a template waits, too. The subject is the tax id or the template.
alter table setting_change drop constraint setting_change_name_check;
alter table setting_change add constraint setting_change_name_check check (name in ('whitelistCoolingSeconds', 'approvalAbove',
  'customerLimitDaily', 'customerStepUp30d', 'templateAmountMin', 'templateAmountMax', 'templateStepUp30d', 'templateLimitDaily'));
alter table setting_change add column subject text not null default '';
alter table setting_change drop constraint setting_change_pkey;
alter table setting_change add primary key (account_id, name, subject);
create index setting_change_due on setting_change (effective_at);
