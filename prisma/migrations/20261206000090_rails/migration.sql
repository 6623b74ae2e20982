-- Rails: rates, events that rails report, money in suspense, PIX over API Pix, networks, and the house's own inventory. Nothing of PIX and
-- networks here is money: rail events tell the ledger.

-- Last known mid-market price of one unit of an asset, in BRL. Rates of the sandbox are not those of a market.
create table rate (
  asset       text not null,
  mid         numeric not null check (mid > 0 and mid <> 'NaN'),
  observed_at timestamptz(3) not null,
  mode        text not null check (mode in ('sandbox', 'live')),
  primary key (mode, asset)
);

-- Last report of each feed of rates about each asset: the processes that work on jobs poll, all processes evaluate.
create table rate_feed (
  mode        text not null,
  feed        text not null,
  asset       text not null,
  -- For one unit of the asset, in the currency that the feed counts in; null until there is one.
  price       numeric,
  -- On the clock of the mode's accounts.
  observed_at timestamptz(3),
  tried_at    timestamptz(3) not null,
  -- Attempts that failed since the last success, and the reason of the last failure.
  failures    int not null default 0,
  failure     text,
  primary key (mode, feed, asset),
  check (price > 0 and price <> 'NaN'),
  check ((price is null) = (observed_at is null))
);

-- An event that a rail reported: once under its natural key, over all accounts of a mode, with its outcome (C-33, C-34). No key to
-- `account`, as `transaction` has none.
create table rail_news (
  id             bigint generated always as identity primary key,
  mode           text not null check (mode in ('sandbox', 'live')),
  rail           text not null,
  kind           text not null,
  key            text not null,
  -- Account and transaction that it is for; null where nobody knows.
  account_id     bigint,
  transaction_id bigint,
  -- As it came.
  body           jsonb not null,
  -- pending: not settled yet; failed: its transaction never took it, and it stays in the operator's list; step: its transaction took it;
  -- suspense: the money is booked and waits for a decision; noted: it changes nothing; closed: by hand, with a reason.
  outcome        text not null check (outcome in ('pending', 'failed', 'step', 'suspense', 'noted', 'closed')),
  attempts       int not null default 0,
  -- On the clock of the machine: next attempt of what is pending.
  due_at         timestamptz(3),
  last_error     text,
  seen_at        timestamptz(3) not null default now(),
  -- Attempts in a row that its transaction did not take. A rail that reports the event again has it tried again.
  untaken        int not null default 0,
  close_reason   text,
  closed_by      text,
  closed_at      timestamptz(3),
  check ((outcome = 'pending') = (due_at is not null)),
  constraint rail_news_closed_check
    check ((outcome = 'closed') = (close_reason is not null and closed_by is not null and closed_at is not null))
);
create unique index rail_news_by_key on rail_news (key, kind, mode);
create index rail_news_by_due_time on rail_news (due_at) where outcome = 'pending';
create index rail_news_by_age on rail_news using brin (seen_at) with (pages_per_range = 32);
-- The operator's list: events that are not settled, and reports of fraud, for which there is no step.
create index rail_news_to_look_at on rail_news (id) where outcome in ('pending', 'failed') or kind = 'infraction';
create index rail_news_closed on rail_news (id) where outcome = 'closed';
-- Returns by MED that were compared with an accepted dispute of their payment: each dispute has one.
create index rail_news_returns_of_disputes on rail_news (account_id, transaction_id) where kind = 'dispute_returned' and outcome = 'noted';

-- Refuses to change the content of a rail event, or an outcome that is final.
create function deny_news_change() returns trigger language plpgsql as $$
begin
  if old.outcome not in ('pending', 'failed') or (new.id, new.mode, new.rail, new.kind, new.key, new.body, new.seen_at)
       is distinct from (old.id, old.mode, old.rail, old.kind, old.key, old.body, old.seen_at) then
    raise exception 'news of a rail is append-only: % refused', tg_op using errcode = '42501';
  end if;
  return new;
end $$;
create trigger append_only before update on rail_news for each row execute function deny_news_change();
alter table rail_news enable always trigger append_only;

-- Money that came and that no transaction took: booked in `L.suspense` of its account, until it is assigned or sent back (C-34).
create table suspense_entry (
  id             bigint generated always as identity primary key,
  account_id     bigint not null references account,
  news_id        bigint not null unique references rail_news,
  -- The transaction that it came for; null where that is not known.
  transaction_id bigint,
  currency       text not null,
  amount_minor   numeric(78, 0) not null check (amount_minor > 0),
  -- payout_returned: a payout that came back to a transaction that does not take it; impossible_time: of C-36.
  reason         text not null check (reason in ('not_due', 'impossible_time', 'second_payment', 'no_transaction', 'payout_returned', 'unknown')),
  journal_id     bigint not null,
  -- dropped: a deposit that its network dropped after it had been final, whatever was decided about it before.
  state          text not null default 'open' check (state in ('open', 'assigned', 'returning', 'returned', 'dropped')),
  -- Account that it was assigned to.
  assigned_to    bigint references account,
  decided_by     text,
  decided_at     timestamptz(3),
  opened_at      timestamptz(3) not null,
  -- The return id of PIX, `D…`, under which it goes back; null for returns from before there was one.
  return_id      text,
  -- Next attempt to order the return, on the clock of the machine; null once the rail has the order, and where nothing is on its way back.
  due_at         timestamptz(3),
  attempts       int not null default 0,
  -- The account that the money is to be credited to once another person approves it (docs/security.md).
  proposed_to    bigint references account,
  proposed_by    text,
  check ((state = 'open') = (decided_at is null)),
  constraint suspense_entry_assigned_check
    check (case state when 'assigned' then assigned_to is not null when 'dropped' then true else assigned_to is null end),
  check (due_at is null or state = 'returning'),
  constraint suspense_entry_proposed_check check (
    (proposed_to is null) = (proposed_by is null) and (proposed_to is null or state = 'open') and proposed_to <> account_id
  )
);
create index suspense_entry_by_account on suspense_entry (account_id, id);
create index suspense_entry_waiting on suspense_entry (id) where state in ('open', 'returning');
create index suspense_entry_open on suspense_entry (account_id, id) where state = 'open';
create unique index suspense_entry_by_return_id on suspense_entry (return_id) where return_id is not null;
create index suspense_entry_due on suspense_entry (due_at, id) where due_at is not null;

-- A payout or a return over API Pix, stored before anything leaves. There is no key to account or transaction: they are never deleted, and
-- an order of suspense belongs to no transaction.
create table pix_order (
  mode          text not null check (mode in ('live', 'sandbox')),
  -- Idempotency key of the order.
  key           text not null,
  kind          text not null check (kind in ('payout', 'return')),
  account_id    bigint not null,
  -- Name of the order at the provider, 1 to 35 letters and digits.
  psp_id        text not null,
  amount        numeric(20, 2) not null,
  -- Of a payout: the key that it goes to, and the owner that the key has to have.
  pix_key       text,
  payee_tax_id  text,
  -- Of the payment that goes back; of a payout once the provider has reported it.
  end_to_end_id text,
  -- Times on the machine's clock: when the order came, when it left last, and when the provider had decided.
  placed_at     timestamptz(3) not null,
  sent_at       timestamptz(3) not null,
  ended_at      timestamptz(3),
  is_done       boolean,
  -- Next query at the provider; null: none any more.
  ask_at        timestamptz(3),
  primary key (mode, key)
);
create unique index pix_order_by_psp_id on pix_order (mode, kind, psp_id);
create index pix_order_to_ask on pix_order (ask_at) where ask_at is not null;
-- Reconciliation reads the orders that ended in a day.
create index pix_order_ended on pix_order (ended_at) where ended_at is not null;

-- Progress of reading the statement of a provider, by one process at a time.
create table pix_cursor (
  mode       text not null check (mode in ('live', 'sandbox')),
  -- Address of the provider, and the key.
  source     text not null,
  -- On the clock of the mode: everything before was read; null before the first time.
  read_until timestamptz(3),
  -- On the machine's clock: no other process reads before.
  free_at    timestamptz(3) not null,
  -- On the machine's clock; null before the first time.
  read_at    timestamptz(3),
  primary key (mode, source)
);

-- Budget for look-ups of PIX keys: the time, on the machine's clock, at which all that was used will have been released.
create table pix_look_up (
  mode    text not null check (mode in ('live', 'sandbox')),
  -- `payer:` with a tax id, or `account:` with an id.
  subject text not null,
  free_at timestamptz(3) not null,
  primary key (mode, subject)
);
create index pix_look_up_by_time on pix_look_up (free_at);

-- Progress of reading each network, its lease, and a stop of sending by hand.
create table chain_network (
  mode           text not null check (mode in ('sandbox', 'live')),
  network        text not null,
  -- The last block that was read; final blocks were settled up to final_height.
  height         bigint,
  hash           text,
  final_height   bigint,
  -- Time of the newest block that was read, by its own word.
  head_at        timestamptz(3),
  -- One process at a time works on a network.
  leased_by      text,
  leased_until   timestamptz(3),
  -- Reason why there is no progress.
  trouble        text,
  trouble_since  timestamptz(3),
  paused_at      timestamptz(3),
  paused_by      text,
  pause_reason   text,
  primary key (mode, network),
  check ((height is null) = (hash is null) and (height is null) = (final_height is null)),
  check ((trouble is null) = (trouble_since is null)),
  check ((paused_at is null) = (paused_by is null))
);

-- The newest blocks that were read: where the chain has others, it was rewritten.
create table chain_block (
  mode    text not null,
  network text not null,
  height  bigint not null,
  hash    text not null,
  primary key (mode, network, height)
);

-- Deposit addresses that were given out, by their index. Networks of one family have the same addresses.
create table chain_address (
  mode    text not null check (mode in ('sandbox', 'live')),
  family  text not null,
  index   int not null,
  address text not null,
  primary key (mode, family, index)
);
create unique index chain_address_by_text on chain_address (address, mode);

-- Transfers that were ordered, each once under its key, and those that gather deposits.
create table chain_order (
  id              bigint generated always as identity primary key,
  mode            text not null check (mode in ('sandbox', 'live')),
  network         text not null,
  key             text not null,
  intent          text not null check (intent in ('payout', 'refund', 'withdrawal', 'sweep', 'gas')),
  currency        text not null,
  to_address      text not null,
  amount_minor    numeric(78, 0) not null check (amount_minor > 0),
  -- Of a refund: the part that was taken off for the network.
  fee_minor       numeric(78, 0) not null default 0 check (fee_minor >= 0),
  from_address    text not null,
  -- Of the deposit address that it leaves; null for the hot wallet.
  key_index       int,
  -- Of gas: the deposit address that it goes to.
  deposit_index   int,
  -- For the signer alone.
  proof           jsonb,
  -- queued; signing: it has its place, and the signer is asked; sent: signed, so others may know it; failing: nothing was signed, and that
  -- is reported; confirmed and failed permanently.
  state           text not null default 'queued' check (state in ('queued', 'signing', 'sent', 'failing', 'confirmed', 'failed')),
  -- Its nonce, where the network has nonces.
  place           bigint,
  -- Height of the block that has it, as long as one does.
  included_height bigint,
  -- The hash that was reported.
  told_hash       text,
  tries           int not null default 0,
  due_at          timestamptz(3) not null,
  last_error      text,
  ordered_at      timestamptz(3) not null,
  ended_at        timestamptz(3),
  check ((state in ('confirmed', 'failed')) = (ended_at is not null))
);
create unique index chain_order_by_key on chain_order (key, network, mode);
-- Two orders never have one nonce, and one is signed at a time: a place that the signer refuses leaves no gap.
create unique index chain_order_by_place on chain_order (from_address, place, network, mode) where place is not null;
create unique index chain_order_signing on chain_order (from_address, network, mode) where state = 'signing';
create index chain_order_open on chain_order (network, mode, id) where ended_at is null;
create index chain_order_gathering on chain_order (network, mode, coalesce(key_index, deposit_index)) where intent in ('sweep', 'gas');
-- Reconciliation reads the orders that ended in a day.
create index chain_order_ended on chain_order (network, mode, ended_at) where ended_at is not null;

-- The transactions that were made for an order: stored before they are signed, and signed before they are broadcast.
create table chain_attempt (
  order_id   bigint not null references chain_order,
  number     int not null,
  place      bigint,
  unsigned   text not null,
  cost_minor numeric(78, 0) not null,
  expires_at timestamptz(3),
  made_at    timestamptz(3) not null,
  raw        text,
  hash       text,
  signed_at  timestamptz(3),
  primary key (order_id, number),
  check ((raw is null) = (hash is null) and (raw is null) = (signed_at is null))
);
create index chain_attempt_by_hash on chain_attempt (hash) where hash is not null;

-- Transfers to our addresses as a network has them: seen; missing: its block is gone; confirmed: final; dropped.
create table chain_arrival (
  mode         text not null check (mode in ('sandbox', 'live')),
  network      text not null,
  tx_hash      text not null,
  log_index    int not null,
  height       bigint not null,
  block_hash   text not null,
  address      text not null,
  currency     text not null,
  amount_minor numeric(78, 0) not null check (amount_minor > 0),
  from_address text not null,
  seen_at      timestamptz(3) not null,
  state        text not null check (state in ('seen', 'missing', 'confirmed', 'dropped')),
  -- The order that moves it to the hot wallet.
  swept_by     bigint references chain_order,
  primary key (network, tx_hash, log_index, mode)
);
create index chain_arrival_open on chain_arrival (network, height, mode) where state in ('seen', 'missing');
create index chain_arrival_unswept on chain_arrival (network, mode) where state = 'confirmed' and swept_by is null;
create index chain_arrival_by_address on chain_arrival (address, network, mode);

-- Refuses to change what was ordered, with its fee, its proof and its time, and what was signed for it: only the outcome changes.
create function deny_chain_change() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'chain_order' then
    if (new.id, new.mode, new.network, new.key, new.intent, new.currency, new.to_address, new.amount_minor, new.fee_minor, new.from_address,
        new.key_index, new.deposit_index, new.proof, new.ordered_at)
         is distinct from (old.id, old.mode, old.network, old.key, old.intent, old.currency, old.to_address, old.amount_minor, old.fee_minor, old.from_address,
        old.key_index, old.deposit_index, old.proof, old.ordered_at)
       or old.state in ('confirmed', 'failed') then
      raise exception 'an order to a network is not changed: % refused', tg_op using errcode = '42501';
    end if;
  elsif old.raw is not null or (new.order_id, new.number, new.place, new.unsigned) is distinct from (old.order_id, old.number, old.place, old.unsigned) then
    raise exception 'a transaction that was made is not changed: % refused', tg_op using errcode = '42501';
  end if;
  return new;
end $$;
create trigger append_only before update on chain_order for each row execute function deny_chain_change();
create trigger append_only before update on chain_attempt for each row execute function deny_chain_change();
alter table chain_order enable always trigger append_only;
alter table chain_attempt enable always trigger append_only;

-- Answer of the house's own inventory to an order to convert: asked again, it answers the same.
create table inventory_conversion (
  account_id  bigint not null references account,
  -- Of the order.
  key         text not null,
  answer      text not null check (answer in ('settled', 'failed')),
  answered_at timestamptz(3) not null,
  primary key (account_id, key)
);
