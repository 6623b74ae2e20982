-- Drops the oldest month that ended before a moment and whose events all have deliveries; one at a time, because nobody can read or
-- write events until the transaction of the drop ends. The newest event of each account is looked up by the primary key, so a large
-- month takes no longer than a small one.
-- @returns 1, or 0: no month can go, or another process is at it.
create or replace function event_retire(p_before timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '200ms' as $$
declare
  part text;
  newest text;
  is_needed boolean;
begin
  if not pg_try_advisory_xact_lock(hashtext('event_partitions')) then return 0; end if;
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'event'::regclass and c.relname ~ '^event_\d{6}$'
       and (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC' <= p_before
     order by c.relname
  loop
    newest := format('(select h.account_id, e.seq from account_head h cross join lateral
      (select seq from %I where account_id = h.account_id order by seq desc limit 1) e) newest', part);
    execute format('select exists (select from %s join relay_place p using (account_id) where p.seq < newest.seq)', newest) into is_needed;
    continue when is_needed;
    execute format('insert into event_floor as f (account_id, seq) select account_id, seq + 1 from %s
      on conflict (account_id) do update set seq = greatest(f.seq, excluded.seq)', newest);
    execute format('drop table %I', part);
    return 1;
  end loop;
  return 0;
end $$;
