-- Versions of accounts. `account_head.version` moves in the same database transaction as everything that stored answers are made of
-- (docs/decisions/0044-proved-answers.md): a reader that reads a version before the facts, and finds it unchanged later, has what would be
-- read again.

-- Moves the version with every update of a head: most changes move a counter there. The step cannot be foreseen, so a restored database
-- does not come to a version under which answers are still stored. 8 billion writes of one account fit.
create function head_moved() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1 + floor(random() * 1073741824)::bigint;
  return new;
end $$;
create trigger moved before update on account_head for each row execute function head_moved();
alter table account_head enable always trigger moved;

-- Moves the versions of accounts whose facts are written without their head. A head that this database transaction has moved already stays
-- as it is: others see both or neither. Writers have locked the heads of their accounts before; one that has not locks them here, in the
-- same order.
create function facts_moved() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  perform 1 from account_head where account_id = any (array(select distinct account_id from changed))
     and xmin <> pg_current_xact_id()::xid order by account_id for update;
  if found then
    update account_head set version = version where account_id = any (array(select distinct account_id from changed))
       and xmin <> pg_current_xact_id()::xid;
  end if;
  return null;
end $$;
do $$
declare facts text;
begin
  foreach facts in array array['transaction', 'list_head', 'list_day', 'ledger_account', 'ledger_balance', 'ledger_day', 'ledger_line', 'journal'] loop
    execute format('create trigger moved_insert after insert on %I referencing new table as changed for each statement execute function facts_moved()', facts);
    execute format('create trigger moved_update after update on %I referencing new table as changed for each statement execute function facts_moved()', facts);
    execute format('create trigger moved_delete after delete on %I referencing old table as changed for each statement execute function facts_moved()', facts);
    execute format('alter table %I enable always trigger moved_insert', facts);
    execute format('alter table %I enable always trigger moved_update', facts);
    execute format('alter table %I enable always trigger moved_delete', facts);
  end loop;
end $$;
