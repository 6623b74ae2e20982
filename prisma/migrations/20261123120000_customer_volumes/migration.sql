-- Customers of an account, by tax id (C-21): the names that they were given, and limits of their own.
create table customer (
  account_id    bigint not null references account,
  -- CPF or CNPJ without punctuation.
  tax_id        text not null,
  -- Newest last, 20 at most.
  names         text[] not null default '{}',
  -- VERIFIED once a closer look at the customer's identity was approved.
  level         text not null default 'BASIC' check (level in ('BASIC', 'VERIFIED')),
  -- BRL; null where the limits of the templates hold.
  limit_daily   numeric check (limit_daily >= 0),
  step_up_30d   numeric check (step_up_30d >= 0),
  -- Limits that the platform set replace those of the templates; others can only be tighter than them.
  is_granted    boolean not null default false,
  first_seen_at timestamptz(3) not null,
  primary key (account_id, tax_id)
);

-- What limits are compared with, by day in Brasília (C-21, C-22): BRL of a customer, under the tax id; BRL of withdrawals
-- that nobody approved, under `withdrawals`. A transaction counts as open until it is paid, and then on the day of payment.
create table volume_day (
  account_id bigint not null references account,
  subject    text not null,
  day        date not null,
  open       numeric not null default 0,
  paid       numeric not null default 0,
  primary key (account_id, subject, day)
) with (fillfactor = 80);

-- What was counted until now by looking at the transactions themselves: those of the last 30 days that were paid.
insert into volume_day (account_id, subject, day, paid)
  select account_id, client_tax_id_key, (created_at at time zone 'America/Sao_Paulo')::date, sum(brl)
    from (
      select account_id, client_tax_id_key, created_at, component, state, source_currency,
          case when source_currency = 'BRL' then source_amount else target_amount end as brl
        from transaction where client_tax_id_key is not null and created_at >= now() - interval '31 days'
    ) t
    where brl is not null and state not in ('ERROR', 'REJECTED', 'RETURNED', 'ACCEPTED')
      and (component in ('success', 'swap_transfer', 'swap_transfer_v2', 'crypto_out', 'pix_out', 'dispute')
        or (component = 'partial_success' and source_currency = 'BRL'))
    group by 1, 2, 3;
insert into customer (account_id, tax_id, names, first_seen_at)
  select account_id, client_tax_id_key, (array_agg(distinct client_name))[1:20], min(created_at)
    from transaction where client_tax_id_key is not null and client_name is not null group by 1, 2;

grant select, insert, update on customer, volume_day to crossramp_app;
