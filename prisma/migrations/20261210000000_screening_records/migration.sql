-- Screenings of transactions, without names and numbers: what was screened, when, against which lists and providers, and the outcome.
-- A screening that is repeated with the same outcome and the same versions is stored once, with its first time.
create table screening_record (
  account_id     bigint not null references account,
  transaction_id bigint not null,
  stage          text not null check (stage in ('creation', 'arrival', 'return')),
  outcome        text not null check (outcome in ('cleared', 'held', 'frozen')),
  -- Lists with their versions, and providers, each after a comma.
  screeners      text not null,
  -- Parts of the transaction that were compared, such as customer and wallet.
  roles          text[] not null,
  screened_at    timestamptz(3) not null,
  primary key (account_id, transaction_id, stage, outcome, screeners)
);
grant select, insert on screening_record to crossramp_app;
insert into migration_reach values ('20261210000000_screening_records', '1.0.0');
