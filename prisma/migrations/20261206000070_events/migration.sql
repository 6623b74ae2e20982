-- The durable event log, dense per account, in monthly partitions: what is past its retention goes by dropping a table.

-- An event of a transaction, as clients receive it. No key to `account`, as `transaction` has none.
create table event (
  account_id     bigint not null,
  seq            bigint not null,
  -- With the account's sequence it makes the id that receivers see, `evt_<seq>_<token>` (C-60). 60 random bits; older events have more.
  token          text not null default left(replace(gen_random_uuid()::text, '-', ''), 16),
  name           text not null,
  transaction_id bigint not null,
  -- Number of the event in its transaction.
  sequence       int not null,
  component      text not null,
  state          text not null,
  occurred_at    timestamptz(3) not null,
  -- The body; where there is a form, its values as JSON, one in each line.
  payload        text not null,
  form           bigint,
  primary key (account_id, seq, occurred_at)
) partition by range (occurred_at);
-- Ends with the transaction: it has some ten events, which are put in order when they are read, and equal keys share one place in an index
-- (bench/notes/what-a-write-logs.md).
create index event_by_transaction on event (account_id, transaction_id);

-- Events outside of every month: of a clock that was set far ahead.
create table event_other partition of event default;

-- Text that bodies of events share: names of members, labels of the step. It is stored once, and an event holds its values
-- (bench/notes/what-a-write-logs.md).
create table event_form (
  -- The first 8 bytes of the text's SHA-256, so that no process needs to know what others have stored.
  id   bigint primary key,
  -- A body with a line break in place of each value.
  text text not null
);
create trigger append_only before update or delete or truncate on event_form for each statement execute function deny_change();
alter table event_form enable always trigger append_only;

-- Body of an event for readers by SQL; the gateway puts it together itself.
create function event_body(p_form bigint, p_payload text) returns text
language sql stable set search_path = public, pg_temp as $$
  select case when p_form is null then p_payload else (
    select string_agg(piece || coalesce(value, ''), '' order by n)
      from event_form f, unnest(string_to_array(f.text, e'\n'), string_to_array(p_payload, e'\n')) with ordinality u(piece, value, n)
     where f.id = p_form) end
$$;

-- Oldest event that an account still has; cursors before it are expired.
create table event_floor (
  account_id bigint primary key references account,
  seq        bigint not null,
  -- Token of the last event that was dropped, as a cursor names its event by number and token; null for floors from before cursors did.
  token      text
);

-- Position of the relay in the log of each account: all events up to this one have become deliveries.
create table relay_place (
  account_id bigint primary key references account,
  seq        bigint not null
);

-- A note for each database transaction that appended events, with its last event, by which the relay finds the accounts that are behind.
-- Rows are added and deleted, never changed, so writers and the relay do not wait for each other.
create table relay_queue (
  account_id bigint not null,
  seq        bigint not null,
  at         timestamptz(3) not null default now(),
  primary key (account_id, seq)
);

-- Refuses to change an event. Of the row triggers every partition gets a copy; against truncating each needs its own.
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

-- Checks what a unique index would hold, which PostgreSQL has none of over partitions without the month in it: a number is given once, none
-- is left out, and the head of the account says the last one. Two writers cannot pass at the same time, because each must have written the
-- head. Leaves a note for the relay.
create function event_appended() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  added record;
begin
  for added in
    select account_id, min(seq) as low, max(seq) as high, count(distinct seq) as n, count(*) as rows from appended group by 1
  loop
    if added.rows <> added.n or added.n <> added.high - added.low + 1
       or added.high is distinct from (select event_seq from account_head where account_id = added.account_id)
       or (select count(*) from event where account_id = added.account_id and seq between added.low - 1 and added.high)
          <> added.n + (added.low > coalesce((select seq from event_floor where account_id = added.account_id), 1))::int
    then
      raise exception 'events % to % of account % do not follow its log without gaps', added.low, added.high, added.account_id
        using errcode = 'integrity_constraint_violation';
    end if;
    if added.low = 1 then
      insert into relay_place (account_id, seq) values (added.account_id, 0) on conflict do nothing;
    end if;
    insert into relay_queue (account_id, seq) values (added.account_id, added.high);
  end loop;
  return null;
end $$;
create trigger appended after insert on event referencing new table as appended
  for each statement execute function event_appended();
alter table event enable always trigger appended;

-- First note of each account of a mode (null: of all), of at most p_max accounts: one probe of the primary key for each account, however
-- many notes it has. Without sorting that is the only way: a plan from when the queue was empty, as it mostly is, would read all notes for
-- each account.
create function relay_first_notes(p_mode text, p_max int) returns table (account_id bigint, at timestamptz)
language sql stable set search_path = public, pg_temp set enable_sort = off as $$
  with recursive first as (
    -- Before all accounts.
    select 0::bigint as account_id, null::timestamptz(3) as at
    union all
    select n.account_id, n.at from first f cross join lateral (
      select q.account_id, q.at from relay_queue q where q.account_id > f.account_id order by q.account_id, q.seq limit 1) n
  )
  select f.account_id, f.at from first f
   where f.account_id > 0 and (p_mode is null or (select mode from account where id = f.account_id) = p_mode) limit p_max
$$;

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

-- Makes the partitions of the months from one instant to another. Housekeeping of the log holds nobody up: a lock that is not free within
-- 200 ms is asked for another time.
-- @returns the number that was made.
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

-- Moves some events of the oldest month outside of every month into a table of that month, as they are: in the default partition they would
-- stay for ever. Nobody sees that table yet and nobody waits. When all but a last part are there, that part follows, and the table becomes
-- the partition of its month, under a lock.
-- @returns the number that was moved; 0: all are where they belong, or another process moves them.
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

-- Drops the oldest month that ended before an instant and whose events all have deliveries; one at a time, because nobody can read or write
-- events until the transaction of the drop ends. The newest event of each account is looked up by the primary key, so a large month takes
-- no longer than a small one.
-- @returns 1, or 0: no month can go, or another process is at it.
create function event_retire(p_before timestamptz) returns int
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
    newest := format('(select h.account_id, e.seq, e.token from account_head h cross join lateral
      (select seq, token from %I where account_id = h.account_id order by seq desc limit 1) e) newest', part);
    execute format('select exists (select from %s join relay_place p using (account_id) where p.seq < newest.seq)', newest) into is_needed;
    continue when is_needed;
    execute format('insert into event_floor as f (account_id, seq, token) select account_id, seq + 1, left(token, 8) from %s
      on conflict (account_id) do update set seq = excluded.seq, token = excluded.token where f.seq < excluded.seq', newest);
    execute format('drop table %I', part);
    return 1;
  end loop;
  return 0;
end $$;

select event_partitions(now(), now() + interval '2 months');
