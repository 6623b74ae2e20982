-- Transactions of every template, in canonical typed columns, and the dense sequence of each list.

-- The form in which addresses are compared: EVM and bech32 addresses do not depend on case (contract C-14).
create function address_key(address text) returns text language sql immutable strict parallel safe
  return case when address ~* '^(0x[0-9a-f]+|(bc|tb)1[0-9a-z]+)$' then lower(address) else address end;

-- The form in which tax ids are compared: without punctuation, upper case (alphanumeric CNPJ).
create function tax_id_key(tax_id text) returns text language sql immutable strict parallel safe
  return upper(regexp_replace(tax_id, '[^0-9A-Za-z]', '', 'g'));

create table transaction (
  account_id           bigint not null references account,
  id                   bigint not null,
  end2end              text not null,
  template             text not null,
  family               text not null,
  list_seq             bigint not null,
  component            text not null,
  state                text not null,
  created_at           timestamptz(3) not null,
  updated_at           timestamptz(3) not null,
  error_en             text not null default '',
  error_pt             text not null default '',
  quote                numeric check (quote <> 'NaN'),
  ref_quote            numeric check (ref_quote <> 'NaN'),
  fees                 numeric check (fees <> 'NaN'),
  source_currency      text,
  source_amount        numeric check (source_amount <> 'NaN'),
  target_currency      text,
  target_amount        numeric check (target_amount <> 'NaN'),
  network_fee          text,
  exact_deposit_amount text,
  pix_e2e              text,
  pix_key              text,
  pix_key_type         text,
  client_name          text,
  client_tax_id        text,
  client_tax_id_key    text generated always as (tax_id_key(client_tax_id)) stored,
  expires_at           timestamptz(3),
  return_url           text,
  external_code        text,
  webhook              text,
  fixed_link           text,
  wallet               text,
  deposit_address      text,
  deposit_from         text,
  address_key          text generated always as (address_key(coalesce(wallet, deposit_from))) stored,
  tx_hash              text,
  group_id             text,
  notes                text,
  as_published         jsonb,
  primary key (account_id, id),
  unique (account_id, end2end),
  -- Deferrable, because taking in older history moves the positions of what came later in one statement.
  unique (account_id, family, list_seq) deferrable initially immediate
);

-- One index for each list filter, led by what every list names and ended by its order.
create index transaction_by_pix_e2e on transaction (account_id, family, pix_e2e, list_seq) where pix_e2e is not null;
create index transaction_by_tax_id on transaction (account_id, family, client_tax_id_key, list_seq) where client_tax_id_key is not null;
create index transaction_by_address on transaction (account_id, family, address_key, list_seq) where address_key is not null;
create index transaction_by_group on transaction (account_id, family, group_id, list_seq) where group_id is not null;
create index transaction_by_currency on transaction (account_id, family, target_currency, list_seq) where target_currency is not null;

create table list_head (
  account_id      bigint not null references account,
  family          text not null,
  last_seq        bigint not null default 0,
  last_created_at timestamptz(3) not null,
  primary key (account_id, family)
) with (fillfactor = 60);

create table list_day (
  account_id bigint not null,
  family     text not null,
  day        date not null,
  first_seq  bigint not null,
  primary key (account_id, family, day)
);

-- The positions [lo, hi] that a list has between two UTC days, both inclusive; hi = lo - 1 when there are none.
create function list_window(p_account bigint, p_family text, p_from date, p_to date)
returns table (lo bigint, hi bigint) language sql stable parallel safe as $$
  select
    case when p_from is null then 1 else coalesce(
      (select d.first_seq from list_day d where d.account_id = p_account and d.family = p_family and d.day >= p_from order by d.day limit 1),
      h.last_seq + 1) end,
    case when p_to is null then h.last_seq else coalesce(
      (select d.first_seq - 1 from list_day d where d.account_id = p_account and d.family = p_family and d.day > p_to order by d.day limit 1),
      h.last_seq) end
  from (select coalesce((select last_seq from list_head where account_id = p_account and family = p_family), 0) as last_seq) h
$$;

-- Gives the transactions of a list their positions again, after history was taken in (contract C-70): from the
-- oldest that was taken in onwards, in the order of contract C-10. Runs under the account's lock.
create function list_renumber(p_account bigint, p_family text, p_from timestamptz) returns void language plpgsql as $$
declare v_before bigint;
begin
  select count(*) into v_before from transaction where account_id = p_account and family = p_family and created_at < p_from;
  update transaction t set list_seq = n.seq
    from (select id, v_before + row_number() over (order by created_at, end2end collate "C") as seq
            from transaction where account_id = p_account and family = p_family and created_at >= p_from) n
   where t.account_id = p_account and t.id = n.id and t.list_seq <> n.seq;
  delete from list_day where account_id = p_account and family = p_family and day >= (p_from at time zone 'UTC')::date;
  insert into list_day (account_id, family, day, first_seq)
    select p_account, p_family, (created_at at time zone 'UTC')::date, min(list_seq)
      from transaction where account_id = p_account and family = p_family and list_seq >= 1
       and (created_at at time zone 'UTC')::date >= (p_from at time zone 'UTC')::date
     group by 3;
  insert into list_head (account_id, family, last_seq, last_created_at)
    select p_account, p_family, count(*), max(created_at) from transaction where account_id = p_account and family = p_family
    having count(*) > 0
  on conflict (account_id, family) do update set last_seq = excluded.last_seq, last_created_at = excluded.last_created_at;
end $$;
