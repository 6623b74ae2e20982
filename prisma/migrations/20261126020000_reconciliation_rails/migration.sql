-- Reports of reconciliation are of every rail: PIX (`pix`), a network by its name, and what is read from a file. Besides what moved they hold
-- what there is in all.
alter table reconciliation drop constraint reconciliation_rail_check;
alter table reconciliation add constraint reconciliation_rail_check check (rail ~ '^[A-Za-z0-9]{1,20}$'),
  -- Both have it, and it went to another address, or is another currency.
  add column details_differ  int not null default 0 check (details_differ >= 0),
  add column balances_differ int not null default 0 check (balances_differ >= 0),
  -- By currency: there, here, in flight.
  add column balances        jsonb not null default '[]';
create index reconciliation_by_rail on reconciliation (mode, rail, day desc, id desc);

-- Reconciliation reads the orders that ended in a day.
create index chain_order_ended on chain_order (network, mode, ended_at) where ended_at is not null;
