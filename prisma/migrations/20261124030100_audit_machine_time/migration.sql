-- When an act was done on the machine's clock, where that of the account (the sandbox's) is more than a minute away from it.
alter table audit_entry add column machine_at timestamptz(3);
