-- What rails told: once under its natural key, over all accounts of a mode, with what became of it (C-33, C-34). It takes the
-- place of `rail_event`, which had the keys alone and asked for them account by account.

create table rail_news (
  id             bigint generated always as identity primary key,
  mode           text not null check (mode in ('sandbox', 'live')),
  rail           text not null,
  kind           text not null,
  key            text not null,
  -- Whom and what it is for; null where nobody knows.
  account_id     bigint references account,
  transaction_id bigint,
  -- As it came.
  body           jsonb not null,
  -- pending: not settled yet; step: its transaction took it; suspense: the money is booked and waits for a decision;
  -- noted: it changes nothing.
  outcome        text not null check (outcome in ('pending', 'step', 'suspense', 'noted')),
  attempts       int not null default 0,
  -- On the clock of the machine: when what is pending is tried again.
  due_at         timestamptz(3),
  last_error     text,
  seen_at        timestamptz(3) not null default now(),
  check ((outcome = 'pending') = (due_at is not null))
);
create unique index rail_news_by_key on rail_news (key, kind, mode);
create index rail_news_by_due_time on rail_news (due_at) where outcome = 'pending';
create index rail_news_by_age on rail_news using brin (seen_at) with (pages_per_range = 32);

-- A key that two accounts had is the older one's; news that comes again asks for it there.
insert into rail_news (mode, rail, kind, key, account_id, transaction_id, body, outcome, seen_at)
  select a.mode, split_part(e.key, ':', 1),
         case when e.key like 'chain:%' then 'deposit_seen' when t.template like 'onramp%' or t.template = 'crossramp_checkout' then 'payment' else 'payout_ended' end,
         e.key, e.account_id, e.transaction_id, '{}', 'step', e.told_at
    from rail_event e join account a on a.id = e.account_id
    left join transaction t on t.account_id = e.account_id and t.id = e.transaction_id
   order by e.told_at
  on conflict do nothing;
drop table rail_event;

-- What came is never changed, and what became of it once.
create function deny_news_change() returns trigger language plpgsql as $$
begin
  if old.outcome <> 'pending' or (new.id, new.mode, new.rail, new.kind, new.key, new.body, new.seen_at)
       is distinct from (old.id, old.mode, old.rail, old.kind, old.key, old.body, old.seen_at) then
    raise exception 'news of a rail is append-only: % refused', tg_op using errcode = '42501';
  end if;
  return new;
end $$;
create trigger append_only before update on rail_news for each row execute function deny_news_change();
alter table rail_news enable always trigger append_only;
grant select, insert, update, delete on rail_news to crossramp_app;

-- The charge that a PIX is for. As with the session, a column of its own keeps most steps from writing indexes anew.
alter table transaction add column txid text generated always as (process ->> 'txid') stored;
create unique index transaction_by_txid on transaction (txid) where txid is not null;
