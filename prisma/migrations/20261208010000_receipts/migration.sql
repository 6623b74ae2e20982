-- Receipts that payers asked for by e-mail (docs/decisions/0100-receipts-by-e-mail.md).
alter table branding add column sends_receipts boolean not null default false;

-- A receipt of one transaction, for one address. The row stays and the address goes, so that a receipt that was sent is not sent again.
create table receipt_mail (
  account_id     bigint not null,
  transaction_id bigint not null,
  -- Null once the receipt was sent, has failed, or was asked for long ago.
  email          text,
  language       text not null check (language in ('en', 'pt')),
  -- When the address was given, by the clock of the database.
  at             timestamptz(3) not null default now(),
  -- Addresses that were given after the first.
  changes        int not null default 0,
  -- `waiting` until the transaction has succeeded, then `pending`, `sent`, or `failed` after the last attempt.
  state          text not null default 'waiting' check (state in ('waiting', 'pending', 'sent', 'failed')),
  attempts       int not null default 0,
  due_at         timestamptz(3) not null default now(),
  -- While a process sends it.
  leased_until   timestamptz(3),
  ended_at       timestamptz(3),
  last_error     text,
  primary key (account_id, transaction_id),
  foreign key (account_id, transaction_id) references transaction
);
create index receipt_mail_due on receipt_mail (state, due_at) where state in ('waiting', 'pending');
create index receipt_mail_address on receipt_mail (at) where email is not null;
grant select, insert, update on receipt_mail to crossramp_app;

insert into migration_reach values ('20261208010000_receipts', '1.0.0');
