-- Taking history in is linear in its length. The planner knows nothing of an account that is being filled and expects one
-- row of it; with nested loops it read that "one row" again for each row.
alter function list_renumber(bigint, text, timestamptz) set enable_nestloop = off;
alter function ledger_import(bigint, bigint[], bigint[], timestamptz[], bigint[], numeric[], numeric[]) set enable_nestloop = off;

-- A file of history waits in temporary tables until all of it has been read.
do $$ begin execute format('grant temporary on database %I to crossramp_app', current_database()); end $$;
