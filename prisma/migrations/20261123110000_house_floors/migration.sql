-- House accounts that stand on one side of zero only: what is owed to payers, payees and unknown senders is never less than
-- nothing, and neither is what is on its way in or owed by an account holder (those are assets: their debit is below zero).
-- 1: never below zero; -1: never above it; 0: either.
create function house_side(p_house text) returns smallint language sql immutable parallel safe as $$
  select case when p_house in ('L.payer', 'L.payout', 'L.suspense') then 1 when p_house in ('A.inbound', 'A.recv') then -1 else 0 end::smallint
$$;

alter table ledger_balance add column side smallint not null default 0;

update ledger_balance b set side = house_side(a.house)
  from ledger_account a
 where a.account_id = b.account_id and a.id = b.ledger_account_id and house_side(a.house) <> 0
   and b.balance * house_side(a.house) >= 0;

alter table ledger_balance add constraint ledger_balance_side check (balance * side >= 0);

create or replace function ledger_open(
  p_account bigint, p_id bigint[], p_code text[], p_name text[], p_currency text[], p_pretty_name text[], p_scale smallint[],
  p_sub_account smallint[], p_house text[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from account_head where account_id = p_account for update;
  with missing as (
    select u.*, row_number() over (partition by u.sub_account = 0 order by u.ord) as n
      from unnest(p_id, p_code, p_name, p_currency, p_pretty_name, p_scale, p_sub_account, p_house)
           with ordinality u(id, code, name, currency, pretty_name, scale, sub_account, house, ord)
     where not exists (select from ledger_account a where a.account_id = p_account and a.currency = u.currency
                          and a.sub_account = u.sub_account and a.house is not distinct from u.house)
  ), opened as (
    insert into ledger_account (account_id, id, code, name, currency, pretty_name, scale, sub_account, house)
    select p_account,
           case when m.id is not null then m.id
                when m.sub_account = 0 then least(0, (select min(id) from ledger_account where account_id = p_account)) - m.n
                else greatest(h.ledger_account_id, (select max(id) from missing)) + m.n end,
           m.code, m.name, m.currency, m.pretty_name, m.scale, m.sub_account, m.house
      from missing m join account_head h on h.account_id = p_account
    returning id, sub_account, house
  ), counted as (
    update account_head set ledger_account_id = greatest(ledger_account_id, (select max(id) from opened))
     where account_id = p_account and exists (select from opened)
  )
  insert into ledger_balance (account_id, ledger_account_id, allow_negative, side)
    select p_account, id, sub_account = 0, house_side(house) from opened;
end $$;
