-- The company behind an account, and its owners, as the operator has checked them: both are compared with the screening lists.
create table account_company (
  account_id  bigint primary key references account,
  -- CNPJ without punctuation.
  tax_id      text not null check (tax_id ~ '^[0-9A-Z]{12}[0-9]{2}$'),
  -- Name as it is registered.
  legal_name  text not null check (length(legal_name) between 1 and 200),
  street      text not null check (length(street) between 1 and 200),
  city        text not null check (length(city) between 1 and 200),
  -- Two letters of a state of Brazil.
  state       text not null check (state ~ '^[A-Z]{2}$'),
  postal_code text not null check (postal_code ~ '^[0-9]{8}$'),
  updated_at  timestamptz(3) not null
);
-- An owner of a company.
create table account_owner (
  account_id bigint not null references account_company,
  -- CPF or CNPJ without punctuation.
  tax_id     text not null check (length(tax_id) in (11, 14)),
  name       text not null check (length(name) between 1 and 200),
  -- Percent of the company; null where it is not known.
  share      numeric check (share > 0 and share <= 100),
  primary key (account_id, tax_id)
);

-- A further subject of a hit.
-- contract: the constraint allows more than before, and refuses nothing that it allowed.
alter table screening_hit drop constraint screening_hit_role_check;
alter table screening_hit add constraint screening_hit_role_check
  check (role in ('customer', 'payee', 'payer', 'sender', 'wallet', 'destination', 'own_address', 'holder', 'owner')) not valid;

grant select, insert, update on account_company to crossramp_app;
grant select, insert, update, delete on account_owner to crossramp_app;
insert into migration_reach values ('20261207100000_account_companies', '1.0.0');
