-- The relay reads the log as every follower does: account by account, by the dense number. Its place is a row for each
-- account. Whoever appends events leaves a note, by which the relay finds the accounts that are behind. Transactions of other
-- accounts no longer matter to it, and neither do the numbers of transactions, which a restored database begins anew.

-- No writer may be between its events and its commit while the places are computed.
lock table event in access exclusive mode;

create table relay_place (
  account_id bigint primary key references account,
  -- All events up to this one have become deliveries.
  seq        bigint not null
);
insert into relay_place (account_id, seq)
  select h.account_id, coalesce(least(u.low - 1, h.event_seq), h.event_seq)
    from account_head h left join (
      select e.account_id, min(e.seq) as low from event e, relay_cursor c
       where c.name = 'webhooks' and (e.xid, e.id) > (c.xid, c.id) group by 1) u using (account_id);

-- A note for each transaction that appended, with its last event. Rows are added and deleted, never changed, so writers
-- and the relay do not wait for each other.
create table relay_queue (
  account_id bigint not null,
  seq        bigint not null,
  at         timestamptz(3) not null default now(),
  primary key (account_id, seq)
);
insert into relay_queue (account_id, seq)
  select p.account_id, h.event_seq from relay_place p join account_head h using (account_id) where p.seq < h.event_seq;

drop table relay_cursor;
drop index event_in_commit_order;
alter table event drop column xid, drop column id;
drop sequence event_id;

-- PostgreSQL keeps no unique index over partitions without the month in it. What such an index would hold is checked when
-- events are added: a number is given once, none is left out, and the head of the account says the last one. Two writers
-- cannot pass at the same time, because each must have written the head.
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
