-- What is kept for a time goes when the time is over (src/store/retention.ts), in small batches. A BRIN index of a time finds
-- what is old and costs next to nothing.

alter table rail_event add column told_at timestamptz(3) not null default now();
alter table sandbox_order add column placed_at timestamptz(3) not null default now();
create index rail_event_by_age on rail_event using brin (told_at) with (pages_per_range = 32);
create index sandbox_order_by_age on sandbox_order using brin (placed_at) with (pages_per_range = 32);
create index webhook_delivery_by_age on webhook_delivery using brin (created_at) with (pages_per_range = 32);
create index webhook_attempt_by_age on webhook_attempt using brin (at) with (pages_per_range = 32);
create index quote_by_age on quote using brin (expires_at) with (pages_per_range = 32);
create index deposit_slot_by_age on deposit_slot using brin (held_until) with (pages_per_range = 32);
grant delete on rail_event, sandbox_order, webhook_delivery, webhook_attempt, quote, deposit_slot to crossramp_app;

-- Makes the partition of a month.
create function event_month(p_month timestamptz) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part text := 'event_' || to_char(p_month at time zone 'UTC', 'YYYYMM');
begin
  execute format('create table %I partition of event for values from (%L) to (%L)', part, p_month, p_month + interval '1 month');
  execute format('alter table %I enable always trigger append_only', part);
  execute format('create trigger no_truncate before truncate on %I for each statement execute function deny_event_change()', part);
  execute format('alter table %I enable always trigger no_truncate', part);
end $$;

-- Events of a clock that was set far ahead lie in the default partition, where they would stay for ever. Moves each to the
-- partition of its month, as it is. Nobody reads or writes events meanwhile.
create function event_settle() returns bigint
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  columns text;
  part text;
  month timestamptz;
  moved bigint := 0;
  n bigint;
begin
  perform pg_advisory_xact_lock(hashtext('event_partitions'));
  if not exists (select from event_other) then return 0; end if;
  select string_agg(quote_ident(attname), ', ' order by attnum) into columns
    from pg_attribute where attrelid = 'event'::regclass and attnum > 0 and not attisdropped;
  alter table event detach partition event_other;
  alter table event_other rename to event_unsettled;
  create table event_other partition of event default;
  alter table event_other enable always trigger append_only;
  create trigger no_truncate before truncate on event_other for each statement execute function deny_event_change();
  alter table event_other enable always trigger no_truncate;
  for month in select distinct date_trunc('month', occurred_at) from event_unsettled order by 1 loop
    part := 'event_' || to_char(month, 'YYYYMM');
    if to_regclass(part) is null then perform event_month(month); end if;
    execute format('insert into %I (%s) select %s from event_unsettled where occurred_at >= %L and occurred_at < %L',
                   part, columns, columns, month, month + interval '1 month');
    get diagnostics n = row_count;
    moved := moved + n;
  end loop;
  if moved <> (select count(*) from event_unsettled) then raise exception 'events were lost while they were moved'; end if;
  drop table event_unsettled;
  return moved;
end $$;

create or replace function event_partitions(p_until timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  month timestamptz := date_trunc('month', now(), 'UTC');
  made int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('event_partitions'));
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
-- A month goes when it ended before a moment and the relay has made deliveries of all its events.
create or replace function event_retire(p_before timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part record;
  is_needed boolean;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('event_partitions'));
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
revoke execute on function event_month, event_settle from public;
grant execute on function event_settle to crossramp_app;
