-- When the order to send money in suspense back is placed again, on the clock of the machine; null once the rail has it, and where
-- nothing is on its way back. One look at what is due takes the place of placing all orders again every two seconds.
alter table suspense_entry add column due_at timestamptz(3), add column attempts int not null default 0;
update suspense_entry set due_at = decided_at where state = 'returning';
alter table suspense_entry add check (due_at is null or state = 'returning');
create index suspense_entry_due on suspense_entry (due_at, id) where due_at is not null;
