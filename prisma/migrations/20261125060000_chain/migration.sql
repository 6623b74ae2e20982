-- What the rails of networks have read, given out and sent (docs/rails.md). Nothing here is money: the ledger is told by news.

-- How far each network was read, who works on it, and whether somebody stopped sending.
create table chain_network (
  mode           text not null check (mode in ('sandbox', 'live')),
  network        text not null,
  -- The last block that was read; what is final of it was settled up to final_height.
  height         bigint,
  hash           text,
  final_height   bigint,
  -- When the newest block was made that was read, by its own word.
  head_at        timestamptz(3),
  -- One process at a time works on a network.
  leased_by      text,
  leased_until   timestamptz(3),
  -- Why there is no progress.
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

-- Transfers that we were asked for, each once under its key, and those that gather deposits.
create table chain_order (
  id              bigint generated always as identity primary key,
  mode            text not null check (mode in ('sandbox', 'live')),
  network         text not null,
  key             text not null,
  intent          text not null check (intent in ('payout', 'refund', 'withdrawal', 'sweep', 'gas')),
  currency        text not null,
  to_address      text not null,
  amount_minor    numeric(78, 0) not null check (amount_minor > 0),
  -- Of a refund: what was taken off for the network.
  fee_minor       numeric(78, 0) not null default 0 check (fee_minor >= 0),
  from_address    text not null,
  -- Of the deposit address that it leaves; null for the hot wallet.
  key_index       int,
  -- Of gas: the deposit address that it goes to.
  deposit_index   int,
  -- For the signer alone.
  proof           jsonb,
  -- queued; signing: it has its place, and the signer is asked; sent: signed, so others may know it; failing: nothing was signed, and
  -- that is told; confirmed and failed for good.
  state           text not null default 'queued' check (state in ('queued', 'signing', 'sent', 'failing', 'confirmed', 'failed')),
  -- Its nonce, where the network has nonces.
  place           bigint,
  -- In which block it stands, as long as it does.
  included_height bigint,
  -- The hash that was told.
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
  -- The order that takes it to the hot wallet.
  swept_by     bigint references chain_order,
  primary key (network, tx_hash, log_index, mode)
);
create index chain_arrival_open on chain_arrival (network, height, mode) where state in ('seen', 'missing');
create index chain_arrival_unswept on chain_arrival (network, mode) where state = 'confirmed' and swept_by is null;
create index chain_arrival_by_address on chain_arrival (address, network, mode);

-- What was ordered, and what was signed for it, is never changed: only what became of it is.
create function deny_chain_change() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'chain_order' then
    if (new.id, new.mode, new.network, new.key, new.intent, new.currency, new.to_address, new.amount_minor, new.from_address, new.key_index)
         is distinct from (old.id, old.mode, old.network, old.key, old.intent, old.currency, old.to_address, old.amount_minor, old.from_address, old.key_index)
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

grant select, insert, update on chain_network, chain_order, chain_attempt, chain_arrival to crossramp_app;
grant select, insert, update, delete on chain_block to crossramp_app;
grant select, insert on chain_address to crossramp_app;
