-- Transactions of every template in typed columns, the dense sequence of each list, and what lists and searches find them by.

-- Form in which addresses are compared: EVM and bech32 addresses do not depend on case (C-14).
create function address_key(address text) returns text language sql immutable strict parallel safe
  return case when address ~* '^(0x[0-9a-f]+|(bc|tb)1[0-9a-z]+)$' then lower(address) else address end;

-- Form in which tax ids are compared: without punctuation, upper case (alphanumeric CNPJ).
create function tax_id_key(tax_id text) returns text language sql immutable strict parallel safe
  return upper(regexp_replace(tax_id, '[^0-9A-Za-z]', '', 'g'));

-- Status that a transaction has ended with, by its step; OPEN while it can go on. A step that is not listed counts as OPEN, so a look for
-- a status reads the open transactions too, and compares their steps.
create function step_outcome(component text, state text) returns text language sql immutable parallel safe
  return case
    when (component || '/' || state) in (
      'success/DONE', 'dispute/REJECTED', 'success_withdrawl_dash/DONE') then 'SUCCESS'
    when (component || '/' || state) in (
      'partial_success/DONE') then 'PARTIAL_SUCCESS'
    when (component || '/' || state) in (
      'valida_id_v2/DENIED', 'depositpix_v2/ERROR', 'refund/ERROR', 'valida_id/DENIED', 'depositpix/ERROR',
      'kyc_payee/DENIED', 'reserve/ERROR', 'request_withdrawl_dash/ERROR', 'send_withdrawl_dash/ERROR') then 'FAILED'
    when (component || '/' || state) in (
      'depositpix_v2/EXPIRED', 'depositpix/EXPIRED', 'crypto_deposit/EXPIRED') then 'EXPIRED'
    when (component || '/' || state) in (
      'quote/EXPIRED', 'quote/ERROR', 'quote/CANCELLED', 'pre_kyc/LIMIT', 'valida_id_v2/IRREGULAR', 'valida_id/IRREGULAR',
      'kyc_payee/DIVERGENT', 'approval_withdrawl_dash/REJECTED', 'approval_withdrawl_dash/CANCELLED') then 'CANCELLED'
    when (component || '/' || state) in (
      'refund/DONE', 'dispute/ACCEPTED', 'pix_out/RETURNED', 'success_withdrawl_dash/RETURNED') then 'REFUNDED'
    else 'OPEN' end;

-- Whether a step waits for a person's decision: an approval, a step-up, a held deposit or a hold. These steps are few and off the usual
-- way, so most steps of a transaction leave the index alone.
create function step_waits(component text, state text) returns boolean language sql immutable parallel safe
  return (component || '/' || state) in (
    'approval_withdrawl_dash/PENDING', 'compliance/UNCOMPLIANT', 'crypto_deposit/UNDERPAID', 'crypto_deposit/OVERPAID',
    'crypto_deposit/LATE', 'pix_out/REJECTED', 'swap_transfer/ERROR', 'valida_id/PENDING', 'valida_id/REVIEW',
    'valida_id_v2/PENDING', 'valida_id_v2/REVIEW', 'kyc_payee/PENDING', 'kyc_payee/REVIEW');

-- Whether money is on its way back to a payer, or failed to go and is still owed. Imported history has no working facts, and waits for
-- no one.
create function open_refund(component text, state text, process jsonb) returns boolean language sql immutable parallel safe
  return process @> '{"returns": [{"state": "requested"}]}' or process @> '{"returns": [{"state": "failed"}]}'
    or component = 'refund' and state in ('INITIAL', 'ERROR') and process <> '{}';

-- Text as a search compares it: lower case, without accents. ASCII, which is most text, needs no table of characters.
create function fold_text(text) returns text language sql immutable strict parallel safe
  return case when octet_length($1) = char_length($1) then lower($1)
    else lower(regexp_replace(normalize($1, nfkd), U&'[\0300-\036F]', '', 'g')) end;

-- Words of a name, each behind the number of its account: one index has the words of all accounts, and a search reads those of its own.
-- Punctuation of any language parts words. A name may be long where history was imported: a word of an index may not.
create function name_words(account_id bigint, name text) returns tsvector language sql immutable strict parallel safe
  return array_to_tsvector(string_to_array(account_id || ':' || replace(
    trim(regexp_replace(fold_text(left(name, 200)), U&'[[:space:][:punct:]\00A1-\00BF\2000-\206F\3000-\303F]+', ' ', 'g')), ' ', ' ' || account_id || ':'), ' '));

-- Every word of a text, as the beginning of a word; null where the text has no word.
create function name_query(account_id bigint, name text) returns tsquery language sql immutable strict parallel safe
  return (select string_agg('''' || word || ''':*', ' & ')::tsquery
    from unnest(tsvector_to_array(name_words(account_id, name))) word where word <> account_id || ':');

-- A transaction. Columns that every step changes stand together near the end of the row: PostgreSQL leaves what is equal at both ends
-- of a row out of its log (bench/notes/what-a-write-logs.md). Half of a page is free for next versions of its rows, which then leave all indexes
-- alone. There is no key to `account`: it would look up and lock the account's row for every row written, and each writer has locked
-- `account_head` before, which holds that key (docs/decisions/0043-what-a-write-costs.md).
create table transaction (
  account_id           bigint not null,
  id                   bigint not null,
  end2end              text not null,
  template             text not null,
  family               text not null,
  -- Position in the list of its family, from 1.
  list_seq             bigint not null,
  created_at           timestamptz(3) not null,
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
  -- Imported history: the object as it was published.
  as_published         jsonb,
  -- Working facts of the process that are not published: charge, amounts really paid, approvals (src/templates/facts.ts).
  process              jsonb not null default '{}',
  updated_at           timestamptz(3) not null,
  component            text not null,
  state                text not null,
  outcome              text generated always as (step_outcome(component, state)) stored,
  has_open_refund      boolean generated always as (open_refund(component, state, process)) stored,
  -- Token of the session and charge that a PIX is for: columns, because an index over an expression on `process` would make every step
  -- write all indexes of the row anew.
  session              text generated always as (process ->> 'session') stored,
  txid                 text generated always as (process ->> 'txid') stored,
  -- Code of the PIX charge: it never changes, so it stands behind the columns that steps change. Rows from before it stood here have it
  -- among their working facts until their next step.
  br_code              text,
  is_waiting           boolean generated always as (step_waits(component, state)) stored,
  primary key (account_id, id),
  unique (account_id, end2end),
  -- Deferrable, because importing older history moves the positions of what came later in one statement.
  unique (account_id, family, list_seq) deferrable initially immediate
) with (fillfactor = 50);

-- One index for each list filter, led by what every list names and ended by its order.
create index transaction_by_tax_id on transaction (account_id, family, client_tax_id_key, list_seq) where client_tax_id_key is not null;
create index transaction_by_address on transaction (account_id, family, address_key, list_seq) where address_key is not null;
create index transaction_by_group on transaction (account_id, family, group_id, list_seq) where group_id is not null;
create index transaction_by_currency on transaction (account_id, family, target_currency, list_seq) where target_currency is not null;
-- The merchant's own reference. History may have longer ones than the gateway accepts: an entry holds the longest that can be asked for.
create index transaction_by_external_code on transaction (account_id, family, left(external_code, 200), list_seq)
  where external_code is not null;
-- Searches: few steps set hash, deposit address or name, so few updates of a transaction change these indexes.
create index transaction_by_tx_hash on transaction (account_id, tx_hash) where tx_hash is not null;
create index transaction_by_deposit_address on transaction (account_id, deposit_address, id) where deposit_address is not null;
create index transaction_by_name_word on transaction using gin (name_words(account_id, client_name)) where client_name is not null;
create unique index transaction_by_session on transaction (session) where session is not null;
create unique index transaction_by_txid on transaction (txid) where txid is not null;
-- Decisions and debts, found without reading what is open.
create index transaction_by_open_refund on transaction (account_id, id) where has_open_refund;
create index transaction_waiting on transaction (account_id, id) where is_waiting;

-- Length of each list, and the time of its newest record.
create table list_head (
  account_id      bigint not null references account,
  family          text not null,
  last_seq        bigint not null default 0,
  last_created_at timestamptz(3) not null,
  primary key (account_id, family)
) with (fillfactor = 60);

-- First position of each day in a list.
create table list_day (
  account_id bigint not null,
  family     text not null,
  day        date not null,
  first_seq  bigint not null,
  primary key (account_id, family, day)
);

-- Positions of a list by the outcome of their transaction. Outcome and PIX are known only after a transaction has begun: in an index of
-- `transaction` each would make PostgreSQL write all indexes of the row anew, a dozen (bench/notes/what-a-write-logs.md).
create table list_outcome (
  account_id bigint not null,
  family     text not null,
  outcome    text not null,
  list_seq   bigint not null,
  primary key (account_id, family, outcome, list_seq)
) with (fillfactor = 90);

-- Positions of a list by the end-to-end id of their PIX; a table of its own as `list_outcome` is.
create table list_pix (
  account_id bigint not null,
  family     text not null,
  pix_e2e    text not null,
  list_seq   bigint not null,
  primary key (account_id, family, pix_e2e, list_seq)
);

-- Adds outcome and PIX of new transactions. These tables follow `transaction` by triggers and no role may write them, so they are as new
-- as it is.
create function list_facts_added() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into list_outcome (account_id, family, outcome, list_seq) select account_id, family, outcome, list_seq from added;
  insert into list_pix (account_id, family, pix_e2e, list_seq)
    select account_id, family, pix_e2e, list_seq from added where pix_e2e is not null;
  return null;
end $$;

-- Moves outcome and PIX of a transaction that changed them.
create function list_facts_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update list_outcome set outcome = new.outcome
   where account_id = old.account_id and family = old.family and outcome = old.outcome and list_seq = old.list_seq and outcome <> new.outcome;
  if old.pix_e2e is distinct from new.pix_e2e then
    delete from list_pix where account_id = old.account_id and family = old.family and pix_e2e = old.pix_e2e and list_seq = old.list_seq;
    insert into list_pix (account_id, family, pix_e2e, list_seq)
      select new.account_id, new.family, new.pix_e2e, new.list_seq where new.pix_e2e is not null;
  end if;
  return null;
end $$;

-- Removes outcome and PIX of a deleted transaction.
create function list_facts_gone() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from list_outcome where account_id = old.account_id and family = old.family and outcome = old.outcome and list_seq = old.list_seq;
  delete from list_pix where account_id = old.account_id and family = old.family and pix_e2e = old.pix_e2e and list_seq = old.list_seq;
  return null;
end $$;

-- Writes outcomes and PIX after a position anew; positions move together, by `list_renumber` alone.
create function list_facts_moved(p_account bigint, p_family text, p_after bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from list_outcome where account_id = p_account and family = p_family and list_seq > p_after;
  delete from list_pix where account_id = p_account and family = p_family and list_seq > p_after;
  insert into list_outcome (account_id, family, outcome, list_seq)
    select account_id, family, outcome, list_seq from transaction
     where account_id = p_account and family = p_family and list_seq > p_after;
  insert into list_pix (account_id, family, pix_e2e, list_seq)
    select account_id, family, pix_e2e, list_seq from transaction
     where account_id = p_account and family = p_family and list_seq > p_after and pix_e2e is not null;
end $$;

create trigger list_facts_added after insert on transaction referencing new table as added
  for each statement execute function list_facts_added();
create trigger list_facts_changed after update on transaction
  for each row when (old.outcome is distinct from new.outcome or old.pix_e2e is distinct from new.pix_e2e)
  execute function list_facts_changed();
create trigger list_facts_gone after delete on transaction for each row execute function list_facts_gone();
alter table transaction enable always trigger list_facts_added;
alter table transaction enable always trigger list_facts_changed;
alter table transaction enable always trigger list_facts_gone;

-- Positions [lo, hi] that a list has between two UTC days, both inclusive; hi = lo - 1 when there are none.
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

-- Greatest position in [p_lo - 1, p_hi] of a list whose record stands before this one in the order of C-10: a binary search, because the
-- positions are in that order.
create function list_place(p_account bigint, p_family text, p_lo bigint, p_hi bigint, p_at timestamptz, p_end2end text)
returns bigint language plpgsql stable parallel safe as $$
declare low bigint := p_lo - 1; high bigint := p_hi; mid bigint; is_before boolean;
begin
  while low < high loop
    mid := (low + high + 1) / 2;
    select t.created_at < p_at or t.created_at = p_at and t.end2end collate "C" < p_end2end collate "C" into is_before
      from transaction t where t.account_id = p_account and t.family = p_family and t.list_seq = mid;
    if is_before then low := mid; else high := mid - 1; end if;
  end loop;
  return low;
end $$;

-- Record of a number, counted from 1, of several lists read as one, newest first (C-10); the oldest where there are fewer, null where
-- there are none. Each round leaves out the newest records of one list. Of k sorted lists, the one whose record number s is the newest of
-- these has it among the first k * s - (k - 1) of all: so these s of it all stand before the wanted one while k * s is not more than what
-- is left out. Each round leaves out a k-th of the rest, and costs a probe for each list.
create function list_nth(p_account bigint, p_families text[], p_from date, p_to date, p_number bigint)
returns text language plpgsql stable parallel safe as $$
declare families text[]; lo bigint[]; hi bigint[]; rest bigint; step bigint; at int; size bigint; found text;
begin
  select array_agg(f.family), array_agg(w.lo), array_agg(w.hi), least(p_number, sum(w.hi - w.lo + 1)) - 1
    into families, lo, hi, rest
    from unnest(p_families) f(family) cross join lateral list_window(p_account, f.family, p_from, p_to) w where w.hi >= w.lo;
  if families is null or rest < 0 then return null; end if;
  loop
    step := greatest(rest / cardinality(families), 1);
    select l.i, s.size, t.end2end into at, size, found
      from unnest(families, lo, hi) with ordinality l(family, lo, hi, i)
      cross join lateral (select least(step, l.hi - l.lo + 1) as size) s
      join transaction t on t.account_id = p_account and t.family = l.family and t.list_seq = l.hi - s.size + 1
     where l.hi >= l.lo
     order by t.created_at desc, t.end2end collate "C" desc limit 1;
    if rest = 0 then return found; end if;
    hi[at] := hi[at] - size;
    rest := rest - size;
  end loop;
end $$;

-- Gives the transactions of a list their positions again after history was imported (C-70): from the oldest imported one onwards, in the
-- order of C-10. Runs under the account's lock. Without nested loops, because the planner knows nothing of an account that is being filled
-- and expects one row of it, which it would read again for each row.
create function list_renumber(p_account bigint, p_family text, p_from timestamptz) returns void language plpgsql
set enable_nestloop = off as $$
declare v_before bigint;
begin
  select count(*) into v_before from transaction where account_id = p_account and family = p_family and created_at < p_from;
  update transaction t set list_seq = n.seq
    from (select id, v_before + row_number() over (order by created_at, end2end collate "C") as seq
            from transaction where account_id = p_account and family = p_family and created_at >= p_from) n
   where t.account_id = p_account and t.id = n.id and t.list_seq <> n.seq;
  if found then perform list_facts_moved(p_account, p_family, v_before); end if;
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

-- Facts that the law has recorded of transactions besides what the gateway needs (docs/records.md). A table of its own, so that
-- transactions without them cost nothing; every correction stands in the audit log.
create table transaction_record (
  account_id           bigint not null,
  transaction_id       bigint not null,
  wallet_custody       text check (wallet_custody in ('self_custody', 'custodial')),
  wallet_holder        text,
  wallet_vasp          text,
  wallet_country       text check (wallet_country ~ '^[A-Z]{2}$'),
  purpose_code         text check (purpose_code ~ '^[0-9]{5}$'),
  counterparty_country text check (counterparty_country ~ '^[A-Z]{2}$'),
  usd_value            numeric check (usd_value >= 0 and usd_value <> 'NaN'),
  usd_value_at         timestamptz(3),
  -- BRL for one USD, by which the value was counted; null where it was given.
  usd_rate             numeric check (usd_rate > 0 and usd_rate <> 'NaN'),
  primary key (account_id, transaction_id),
  foreign key (account_id, transaction_id) references transaction,
  check ((usd_value is null) = (usd_value_at is null) and (usd_rate is null or usd_value is not null))
);
