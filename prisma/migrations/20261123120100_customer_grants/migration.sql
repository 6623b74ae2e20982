-- Limits of a customer by the platform stand beside those of the account: the first replace the limits of the templates, the
-- second can only be tighter than what holds without them.
alter table customer drop column is_granted;
alter table customer add column granted_limit_daily numeric check (granted_limit_daily >= 0);
alter table customer add column granted_step_up_30d numeric check (granted_step_up_30d >= 0);
