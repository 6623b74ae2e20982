-- What the PIX rail over API Pix has to remember: orders that left for the provider, how far its statement was read, and how
-- many keys were looked up.

-- One row for each payout and each return, stored before anything leaves. There is no reference to account or transaction:
-- they are never deleted, and an order of suspense belongs to no transaction.
create table pix_order (
  mode          text not null check (mode in ('live', 'sandbox')),
  -- Idempotency key of the order.
  key           text not null,
  kind          text not null check (kind in ('payout', 'return')),
  account_id    bigint not null,
  -- The name of the order at the provider, 1 to 35 letters and digits.
  psp_id        text not null,
  amount        numeric(20, 2) not null,
  -- Of a payout: to whom it goes, and whose the key has to be.
  pix_key       text,
  payee_tax_id  text,
  -- Of the payment that goes back; of a payout once the provider has told it.
  end_to_end_id text,
  -- All times are on the machine's clock. When it came, when it left last, and when the provider had decided.
  placed_at     timestamptz(3) not null,
  sent_at       timestamptz(3) not null,
  ended_at      timestamptz(3),
  is_done       boolean,
  -- When the provider is asked next; null: not any more.
  ask_at        timestamptz(3),
  primary key (mode, key)
);
create unique index pix_order_by_psp_id on pix_order (mode, kind, psp_id);
create index pix_order_to_ask on pix_order (ask_at) where ask_at is not null;

-- How far the statement of a provider was read, and who reads it: one process at a time.
create table pix_cursor (
  mode       text not null check (mode in ('live', 'sandbox')),
  -- Address of the provider, and the key.
  source     text not null,
  -- On the clock of the mode: everything before was read; null before the first time.
  read_until timestamptz(3),
  -- On the machine's clock: nobody else reads before.
  free_at    timestamptz(3) not null,
  -- On the machine's clock; null before the first time.
  read_at    timestamptz(3),
  primary key (mode, source)
);

-- Look-ups of keys: when all that was taken will have been given back. On the machine's clock.
create table pix_look_up (
  mode    text not null check (mode in ('live', 'sandbox')),
  -- `payer:` with a tax id, or `account:` with an id.
  subject text not null,
  free_at timestamptz(3) not null,
  primary key (mode, subject)
);
create index pix_look_up_by_time on pix_look_up (free_at);

grant select, insert, update on pix_order, pix_cursor to crossramp_app;
grant select, insert, update, delete on pix_look_up to crossramp_app;
