-- The look-up goes by the primary key whatever the planner knows of the table. Asked for one seq, it took the index by id where
-- there were no statistics yet, which reads every line of the ledger account; only the primary key has the order by seq.
create or replace function ledger_seq_before(p_account bigint, p_ledger_account bigint, p_at timestamptz) returns bigint
language plpgsql stable parallel safe as $$
declare low bigint := -1; high bigint; mid bigint; t timestamptz;
begin
  select last_seq into high from ledger_balance where account_id = p_account and ledger_account_id = p_ledger_account;
  while low < high loop
    mid := (low + high + 1) / 2;
    select posted_at into t from ledger_line
      where account_id = p_account and ledger_account_id = p_ledger_account and seq <= mid order by seq desc limit 1;
    -- A line 0 that is not there is before everything: only imported accounts have one.
    if not found or t < p_at then low := mid; else high := mid - 1; end if;
  end loop;
  return low;
end $$;
