-- Matches of screening: a person or an address resembles an entry of a list, or a provider says so. They are kept for ever.
create table screening_hit (
  id             bigint generated always as identity primary key,
  mode           text not null check (mode in ('sandbox', 'live')),
  -- Account of the customer or the transaction; the platform's for an address of the house.
  account_id     bigint not null references account,
  -- Null for a match that was found when customers and addresses were compared with a new list.
  transaction_id bigint,
  role           text not null check (role in ('customer', 'payee', 'payer', 'sender', 'wallet', 'destination', 'own_address')),
  -- The same text for the same person or address: a dismissed match does not stop it again.
  subject        text not null,
  subject_name   text,
  -- CPF or CNPJ without punctuation.
  tax_id         text,
  address        text,
  -- Name of the list or the provider, and the entry within it.
  list           text not null,
  entry          text not null,
  entry_name     text not null,
  score          numeric(5, 4) not null check (score between 0 and 1),
  strength       text not null check (strength in ('exact', 'strong', 'review')),
  -- frozen: an entry of a list of sanctions; held: any other.
  answer         text not null check (answer in ('held', 'frozen')),
  list_version   text not null,
  state          text not null default 'open' check (state in ('open', 'dismissed', 'confirmed')),
  raised_at      timestamptz(3) not null,
  decided_at     timestamptz(3),
  decided_by     text,
  reason         text,
  constraint screening_hit_decided_check check (
    (state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null) and (decided_at is null) = (reason is null)
  )
);
create unique index screening_hit_once on screening_hit (mode, subject, list, entry, account_id, coalesce(transaction_id, 0));
create index screening_hit_open on screening_hit (id) where state = 'open';
create index screening_hit_by_transaction on screening_hit (account_id, transaction_id) where transaction_id is not null;

-- Refuses to change what was found, or a decision.
create function deny_hit_change() returns trigger language plpgsql as $$
begin
  if old.state <> 'open' or (to_jsonb(new) - '{state,decided_at,decided_by,reason}'::text[])
       is distinct from (to_jsonb(old) - '{state,decided_at,decided_by,reason}'::text[]) then
    raise exception 'a hit of screening is append-only: % refused', tg_op using errcode = '42501';
  end if;
  return new;
end $$;
create trigger append_only before update on screening_hit for each row execute function deny_hit_change();
alter table screening_hit enable always trigger append_only;

-- Which versions of the lists the customers and addresses of a mode were compared with, and how far the round is.
create table screening_round (
  mode         text primary key check (mode in ('sandbox', 'live')),
  -- Versions of all lists, in one text.
  versions     text not null default '',
  began_at     timestamptz(3),
  ended_at     timestamptz(3),
  -- The last customer, or the last whitelisted address, that was compared.
  part         text not null default 'customers' check (part in ('customers', 'addresses')),
  at_account   bigint not null default 0,
  at_record    text not null default '',
  compared     bigint not null default 0,
  -- Of several processes one compares at a time.
  leased_until timestamptz(3) not null default '-infinity'
);
insert into screening_round (mode) values ('sandbox'), ('live');

-- The lists as the process that compared last found them: what metrics say of their age.
create table screening_list (
  mode    text not null check (mode in ('sandbox', 'live')),
  list    text not null,
  -- Null where no version could be read.
  version text,
  entries int not null,
  file_at timestamptz(3),
  -- Why the newest file is not used.
  refusal text,
  seen_at timestamptz(3) not null,
  primary key (mode, list)
);

grant select, insert, update on screening_list to crossramp_app;
grant select, insert, update on screening_hit to crossramp_app;
grant select, update on screening_round to crossramp_app;
