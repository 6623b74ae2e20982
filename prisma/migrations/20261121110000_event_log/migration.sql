-- The event log in monthly partitions, so that what is past its retention goes by dropping a table; and the id that an
-- event has for receivers (contract C-60).

alter table event rename to event_before;
alter table event_before rename constraint event_pkey to event_before_pkey;
alter index event_in_commit_order rename to event_before_in_commit_order;

create sequence event_id;
create table event (
  account_id     bigint not null references account,
  seq            bigint not null,
  id             bigint not null default nextval('event_id'),
  xid            xid8 not null default pg_current_xact_id(),
  -- With the account's sequence it makes the id that receivers see, `evt_<seq>_<token>`.
  token          text not null default replace(gen_random_uuid()::text, '-', ''),
  name           text not null,
  transaction_id bigint not null,
  sequence       int not null,
  component      text not null,
  state          text not null,
  occurred_at    timestamptz(3) not null,
  payload        text not null,
  primary key (account_id, seq, occurred_at)
) partition by range (occurred_at);
create index event_in_commit_order on event (xid, id);
create index event_by_transaction on event (account_id, transaction_id, sequence);
-- What falls outside of every month: a clock that was set far ahead.
create table event_other partition of event default;

insert into event (account_id, seq, id, xid, name, transaction_id, sequence, component, state, occurred_at, payload)
  select account_id, seq, id, xid, name, transaction_id, sequence, component, state, occurred_at, payload from event_before;
select setval('event_id', greatest((select max(id) from event), 1));
drop table event_before;

-- Of the row triggers every partition gets a copy; against truncating each needs its own.
create function deny_event_change() returns trigger language plpgsql as $$
begin
  raise exception 'event is append-only: % refused', tg_op using errcode = '42501';
end $$;
create trigger append_only before update or delete on event for each row execute function deny_event_change();
alter table event enable always trigger append_only;
create trigger no_truncate before truncate on event for each statement execute function deny_event_change();
alter table event enable always trigger no_truncate;
create trigger no_truncate before truncate on event_other for each statement execute function deny_event_change();
alter table event_other enable always trigger no_truncate;

-- The oldest event that an account still has; cursors before it are expired.
create table event_floor (
  account_id bigint primary key references account,
  seq        bigint not null
);

-- Makes the partitions of the months up to a moment.
create function event_partitions(p_until timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  month timestamptz := date_trunc('month', now(), 'UTC');
  made int := 0;
  part text;
begin
  perform pg_advisory_xact_lock(hashtext('event_partitions'));
  while month <= p_until loop
    part := 'event_' || to_char(month at time zone 'UTC', 'YYYYMM');
    if to_regclass(part) is null
       and not exists (select from event_other where occurred_at >= month and occurred_at < month + interval '1 month') then
      execute format('create table %I partition of event for values from (%L) to (%L)', part, month, month + interval '1 month');
      execute format('alter table %I enable always trigger append_only', part);
      execute format('create trigger no_truncate before truncate on %I for each statement execute function deny_event_change()', part);
      execute format('alter table %I enable always trigger no_truncate', part);
      made := made + 1;
    end if;
    month := month + interval '1 month';
  end loop;
  return made;
end $$;

-- Drops the months that ended before a moment, and notes where each account's log begins now.
create function event_retire(p_before timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part record;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('event_partitions'));
  for part in
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'event'::regclass and c.relname ~ '^event_\d{6}$'
       and (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC' <= p_before
  loop
    execute format('insert into event_floor as f (account_id, seq) select account_id, max(seq) + 1 from %I group by 1
      on conflict (account_id) do update set seq = greatest(f.seq, excluded.seq)', part.name);
    execute format('drop table %I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

select event_partitions(now() + interval '2 months');
