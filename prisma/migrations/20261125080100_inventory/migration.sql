-- What the house's own inventory answered to an order to convert: asked again, it answers the same.
create table inventory_conversion (
  account_id  bigint not null references account,
  -- Of the order.
  key         text not null,
  answer      text not null check (answer in ('settled', 'failed')),
  answered_at timestamptz(3) not null,
  primary key (account_id, key)
);
grant select, insert on inventory_conversion to crossramp_app;

-- The own funds of the house over all accounts, by currency (OWN_FUNDS in src/ledger/chart.ts).
create index ledger_account_of_own_funds on ledger_account (currency, account_id)
  where house in ('E.fx', 'E.capital', 'R.fee', 'R.netfee', 'R.dust', 'X.gas', 'X.loss');
-- Conversions that are booked and not answered yet.
create index job_of_swaps on job (account_id, id) where kind = 'swap';
