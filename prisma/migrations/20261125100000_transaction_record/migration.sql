-- What the law has recorded of transactions besides what the gateway needs (docs/records.md). A table of its own, so that
-- transactions without it cost nothing; every correction stands in the audit log.
create table transaction_record (
  account_id           bigint not null,
  transaction_id       bigint not null,
  wallet_custody       text,
  wallet_holder        text,
  wallet_vasp          text,
  wallet_country       text,
  purpose_code         text,
  counterparty_country text,
  usd_value            numeric,
  usd_value_at         timestamptz(3),
  -- BRL for one USD, by which the value was counted; null where it was given.
  usd_rate             numeric,
  primary key (account_id, transaction_id),
  foreign key (account_id, transaction_id) references transaction,
  check (wallet_custody in ('self_custody', 'custodial')),
  check (wallet_country ~ '^[A-Z]{2}$'),
  check (counterparty_country ~ '^[A-Z]{2}$'),
  check (purpose_code ~ '^[0-9]{5}$'),
  check (usd_value >= 0 and usd_value <> 'NaN'),
  check (usd_rate > 0 and usd_rate <> 'NaN'),
  check ((usd_value is null) = (usd_value_at is null) and (usd_rate is null or usd_value is not null))
);
grant select, insert, update on transaction_record to crossramp_app;
