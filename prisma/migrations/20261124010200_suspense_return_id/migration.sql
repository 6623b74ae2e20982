-- The return id of PIX, `D…`, under which money in suspense goes back; what was on its way before has none.
alter table suspense_entry add column return_id text;
create unique index suspense_entry_by_return_id on suspense_entry (return_id) where return_id is not null;
