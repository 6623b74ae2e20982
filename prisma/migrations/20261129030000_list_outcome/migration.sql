-- Two filters of lists are known only after a transaction has begun: how it ended, and its PIX. In an index of `transaction` each made
-- PostgreSQL write all indexes of the row anew, a dozen. They stand in tables of their own, with the place in the list, and a step
-- leaves the indexes of `transaction` alone (docs/decisions/0047-what-a-write-logs.md).

create table list_outcome (
  account_id bigint not null,
  family     text not null,
  outcome    text not null,
  list_seq   bigint not null,
  primary key (account_id, family, outcome, list_seq)
) with (fillfactor = 90);

create table list_pix (
  account_id bigint not null,
  family     text not null,
  pix_e2e    text not null,
  list_seq   bigint not null,
  primary key (account_id, family, pix_e2e, list_seq)
);
grant select on list_outcome, list_pix to crossramp_app;

-- They follow `transaction`, and nobody else writes them: so they are as new as it is.
create function list_facts_added() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into list_outcome (account_id, family, outcome, list_seq) select account_id, family, outcome, list_seq from added;
  insert into list_pix (account_id, family, pix_e2e, list_seq)
    select account_id, family, pix_e2e, list_seq from added where pix_e2e is not null;
  return null;
end $$;

create function list_facts_gone() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from list_outcome where account_id = old.account_id and family = old.family and outcome = old.outcome and list_seq = old.list_seq;
  delete from list_pix where account_id = old.account_id and family = old.family and pix_e2e = old.pix_e2e and list_seq = old.list_seq;
  return null;
end $$;

create function list_facts_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update list_outcome set outcome = new.outcome
   where account_id = old.account_id and family = old.family and outcome = old.outcome and list_seq = old.list_seq and outcome <> new.outcome;
  if old.pix_e2e is distinct from new.pix_e2e then
    delete from list_pix where account_id = old.account_id and family = old.family and pix_e2e = old.pix_e2e and list_seq = old.list_seq;
    insert into list_pix (account_id, family, pix_e2e, list_seq)
      select new.account_id, new.family, new.pix_e2e, new.list_seq where new.pix_e2e is not null;
  end if;
  return null;
end $$;

-- Places move together, by `list_renumber` alone.
create function list_facts_moved(p_account bigint, p_family text, p_after bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from list_outcome where account_id = p_account and family = p_family and list_seq > p_after;
  delete from list_pix where account_id = p_account and family = p_family and list_seq > p_after;
  insert into list_outcome (account_id, family, outcome, list_seq)
    select account_id, family, outcome, list_seq from transaction
     where account_id = p_account and family = p_family and list_seq > p_after;
  insert into list_pix (account_id, family, pix_e2e, list_seq)
    select account_id, family, pix_e2e, list_seq from transaction
     where account_id = p_account and family = p_family and list_seq > p_after and pix_e2e is not null;
end $$;
revoke execute on function list_facts_moved from public;
grant execute on function list_facts_moved to crossramp_app;

-- Of what is there. No step of another gateway may be between it and the triggers.
lock table transaction in share row exclusive mode;
insert into list_outcome (account_id, family, outcome, list_seq)
  select account_id, family, outcome, list_seq from transaction order by 1, 2, 3, 4;
insert into list_pix (account_id, family, pix_e2e, list_seq)
  select account_id, family, pix_e2e, list_seq from transaction where pix_e2e is not null order by 1, 2, 3, 4;
drop index if exists transaction_by_outcome, transaction_by_pix_e2e;

create trigger list_facts_added after insert on transaction referencing new table as added
  for each statement execute function list_facts_added();
create trigger list_facts_changed after update on transaction
  for each row when (old.outcome is distinct from new.outcome or old.pix_e2e is distinct from new.pix_e2e)
  execute function list_facts_changed();
create trigger list_facts_gone after delete on transaction for each row execute function list_facts_gone();
alter table transaction enable always trigger list_facts_added;
alter table transaction enable always trigger list_facts_gone;
alter table transaction enable always trigger list_facts_changed;

-- As before, and the places there move, too.
create or replace function list_renumber(p_account bigint, p_family text, p_from timestamptz) returns void language plpgsql
set enable_nestloop = off as $$
declare v_before bigint;
begin
  select count(*) into v_before from transaction where account_id = p_account and family = p_family and created_at < p_from;
  update transaction t set list_seq = n.seq
    from (select id, v_before + row_number() over (order by created_at, end2end collate "C") as seq
            from transaction where account_id = p_account and family = p_family and created_at >= p_from) n
   where t.account_id = p_account and t.id = n.id and t.list_seq <> n.seq;
  if found then perform list_facts_moved(p_account, p_family, v_before); end if;
  delete from list_day where account_id = p_account and family = p_family and day >= (p_from at time zone 'UTC')::date;
  insert into list_day (account_id, family, day, first_seq)
    select p_account, p_family, (created_at at time zone 'UTC')::date, min(list_seq)
      from transaction where account_id = p_account and family = p_family and list_seq >= 1
       and (created_at at time zone 'UTC')::date >= (p_from at time zone 'UTC')::date
     group by 3;
  insert into list_head (account_id, family, last_seq, last_created_at)
    select p_account, p_family, count(*), max(created_at) from transaction where account_id = p_account and family = p_family
    having count(*) > 0
  on conflict (account_id, family) do update set last_seq = excluded.last_seq, last_created_at = excluded.last_created_at;
end $$;
