-- Housekeeping of the event log that holds nobody up: a lock that is not free within 200 ms is asked for another time,
-- months are made around two clocks, and what lies outside of every month moves in parts, most of it without any lock.

-- Makes the partitions of the months from one moment to another. @returns how many there were not.
drop function event_partitions(timestamptz);
create function event_partitions(p_from timestamptz, p_until timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '200ms' as $$
declare
  month timestamptz := date_trunc('month', p_from, 'UTC');
  made int := 0;
begin
  if not pg_try_advisory_xact_lock(hashtext('event_partitions')) then return 0; end if;
  while month <= p_until loop
    if to_regclass('event_' || to_char(month at time zone 'UTC', 'YYYYMM')) is null
       and not exists (select from event_other where occurred_at >= month and occurred_at < month + interval '1 month') then
      perform event_month(month);
      made := made + 1;
    end if;
    month := month + interval '1 month';
  end loop;
  return made;
end $$;

-- Events outside of every month lie in the default partition, where they would stay for ever. Moves some of the oldest month of
-- these into a table of that month, as they are; nobody sees it yet and nobody waits. When all but a last part are there, that
-- part follows, and the table becomes the partition of its month, under a lock.
-- @returns how many were moved; 0: all are where they belong, or another process moves them.
drop function event_settle();
create function event_settle(p_max int) returns int
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '200ms' as $$
declare
  columns text;
  month timestamptz;
  part text;
  copy text;
  moved int;
  last int;
  gone bigint;
  held bigint;
begin
  if not pg_try_advisory_xact_lock(hashtext('event_partitions')) then return 0; end if;
  select date_trunc('month', min(occurred_at)) into month from event_other;
  if month is null then return 0; end if;
  part := 'event_' || to_char(month, 'YYYYMM');
  if to_regclass(part) is null then
    execute format('create table %I (like event including all, constraint %I check (occurred_at >= %L and occurred_at < %L))',
                   part, part || '_month', month, month + interval '1 month');
  end if;
  select string_agg(quote_ident(attname), ', ' order by attnum) into columns
    from pg_attribute where attrelid = 'event'::regclass and attnum > 0 and not attisdropped;
  copy := format('insert into %I (%s) select %s from event_other o where occurred_at >= %L and occurred_at < %L
      and not exists (select from %I e where e.account_id = o.account_id and e.seq = o.seq and e.occurred_at = o.occurred_at) limit %s',
    part, columns, columns, month, month + interval '1 month', part, p_max);
  execute copy;
  get diagnostics moved = row_count;
  if moved = p_max then return moved; end if;

  lock table event in access exclusive mode;
  execute copy;
  get diagnostics last = row_count;
  if last = p_max then return moved + last; end if;
  alter table event_other disable trigger append_only;
  execute format('delete from event_other where occurred_at >= %L and occurred_at < %L', month, month + interval '1 month');
  get diagnostics gone = row_count;
  alter table event_other enable always trigger append_only;
  execute format('select count(*) from %I', part) into held;
  if held <> gone then raise exception 'events were lost while they were moved'; end if;
  execute format('alter table event attach partition %I for values from (%L) to (%L)', part, month, month + interval '1 month');
  execute format('alter table %I drop constraint %I', part, part || '_month');
  execute format('alter table %I enable always trigger append_only', part);
  execute format('create trigger no_truncate before truncate on %I for each statement execute function deny_event_change()', part);
  execute format('alter table %I enable always trigger no_truncate', part);
  return greatest(moved + last, 1);
end $$;

-- A month goes when it ended before a moment and the relay has made deliveries of all its events.
create or replace function event_retire(p_before timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '200ms' as $$
declare
  part record;
  is_needed boolean;
  dropped int := 0;
begin
  if not pg_try_advisory_xact_lock(hashtext('event_partitions')) then return 0; end if;
  for part in
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'event'::regclass and c.relname ~ '^event_\d{6}$'
       and (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC' <= p_before
  loop
    execute format('select exists (select from (select account_id, max(seq) as seq from %I group by 1) e
      join relay_place p using (account_id) where p.seq < e.seq)', part.name) into is_needed;
    continue when is_needed;
    execute format('insert into event_floor as f (account_id, seq) select account_id, max(seq) + 1 from %I group by 1
      on conflict (account_id) do update set seq = greatest(f.seq, excluded.seq)', part.name);
    execute format('drop table %I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
revoke execute on function event_partitions, event_settle from public;
grant execute on function event_partitions, event_settle to crossramp_app;
