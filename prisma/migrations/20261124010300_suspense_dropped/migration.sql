-- A deposit that its network dropped after it had been final, whatever was decided about it before.
alter table suspense_entry drop constraint suspense_entry_state_check, drop constraint suspense_entry_check1;
alter table suspense_entry add constraint suspense_entry_state_check
    check (state in ('open', 'assigned', 'returning', 'returned', 'dropped')),
  add constraint suspense_entry_assigned_check
    check (case state when 'assigned' then assigned_to is not null when 'dropped' then true else assigned_to is null end);
