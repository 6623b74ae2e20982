/**
 * The statements that fill an account: set-based, straight into the tables, and in the order in which the service
 * itself would have written them, so that every invariant of `crossramp verify` holds.
 *
 * Every transaction moves four statement lines and two house lines, in two journals:
 * money in:  E.fx → to_receive; to_receive → available, of which a fee → R.fee
 * money out: available → in_transit; in_transit → E.fx, and from available a fee → R.fee
 * Before the first one, each currency gets an opening balance, so that nothing falls below zero.
 */

/** Currencies of the seed with the scale of their minor unit. */
export const SEED_CURRENCIES = ['USDT_TRX', 'USDC_POLYGON', 'BTC_BTC'] as const;

/** How many days the transactions are spread over, up to and including `SEED_LAST_DAY`. */
export const SEED_DAYS = 300;
/** Last day of the seed: fixed, so that two runs see the same data. */
export const SEED_LAST_DAY = '2026-06-30';

/**
 * Transactions $3 to $4 of account $1, which will have $2. All values follow from the account's size and the
 * number of the transaction; what can still go on is of the newest 0.5 %. $5: the steps of all templates as JSON, the successful one of each at place 0.
 */
export const INSERT_TRANSACTIONS = `
with step as (
  select * from json_to_recordset($5::json) as s(template text, place int, steps int, ended int, component text, state text, error_en text, error_pt text)
), raw as (
  select i, h,
         ('x' || substr(h, 1, 7))::bit(28)::int as r1, ('x' || substr(h, 8, 7))::bit(28)::int as r2,
         ('x' || substr(h, 15, 7))::bit(28)::int as r3, ('x' || substr(h, 22, 7))::bit(28)::int as r4,
         ('${SEED_LAST_DAY}'::timestamp + interval '1 day' - interval '${SEED_DAYS} days') at time zone 'UTC'
           + (interval '${SEED_DAYS} days' / $2::bigint) * (i - 1 + ('x' || substr(h, 22, 7))::bit(28)::int / 600000000.0) as at
    from generate_series($3::bigint, $4::bigint) i cross join lateral (select md5($2 || ':' || i) as h) m
), typed as (
  select *, date_trunc('milliseconds', at) as created_at,
         case when r1 % 20 < 4 then 'crossramp_checkout' when r1 % 20 < 9 then 'onramp' when r1 % 20 < 14 then 'onramp_instant'
              when r1 % 20 < 16 then 'offramp' when r1 % 20 < 18 then 'offramp_instant' else 'withdraw_dash_same_curr' end as template,
         case when r2 % 10 < 7 then 'USDT_TRX' when r2 % 10 < 9 then 'USDC_POLYGON' else 'BTC_BTC' end as coin
    from raw
), priced as (
  select *, case template when 'crossramp_checkout' then 'checkouts' when 'onramp' then 'onramps' when 'onramp_instant' then 'onramps'
                 when 'withdraw_dash_same_curr' then 'withdrawals' else 'offramps' end as family,
         case coin when 'BTC_BTC' then (20000 + r3 % 2000000) / 1e8::numeric else (10000000 + (r3::bigint * 7) % 1990000000) / 1e6::numeric end as amount,
         case coin when 'BTC_BTC' then 512300 + r2 % 5000 else 5.3 + (r2 % 2000) / 10000.0 end as quote,
         template in ('crossramp_checkout', 'onramp', 'onramp_instant') as is_in, template = 'withdraw_dash_same_curr' as is_out
    from typed
)
insert into transaction (account_id, id, end2end, template, family, list_seq, component, state, created_at, updated_at, error_en, error_pt,
  quote, ref_quote, fees, source_currency, source_amount, target_currency, target_amount, network_fee, exact_deposit_amount,
  pix_e2e, pix_key, pix_key_type, client_name, client_tax_id, expires_at, return_url, external_code, webhook, fixed_link,
  wallet, deposit_address, deposit_from, tx_hash, group_id, notes)
select $1, p.i,
  'CRX01' || upper(lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 11, '0') || substr(h, 1, 13)),
  p.template, p.family,
  row_number() over (partition by p.family order by p.i) + coalesce((select last_seq from list_head l where l.account_id = $1 and l.family = p.family), 0),
  s.component, s.state, created_at, created_at + interval '95 seconds', s.error_en, s.error_pt,
  case when not is_out then round(quote, 4) end, case when not is_out then round(quote * 0.99, 4) end,
  case when not is_out then round(amount * quote * 0.01, 2) end,
  case when is_in then 'BRL' else coin end, case when is_in then round(amount * quote, 2) else round(amount, 8) end,
  case when is_in or is_out then coin else 'BRL' end,
  case when is_in then round(amount, 8) when is_out then round(amount * 0.99, 6) else round(amount * quote * 0.99, 2) end,
  case when p.template in ('onramp_instant', 'withdraw_dash_same_curr') then '1.00' end,
  case when p.template = 'offramp_instant' then round(amount, 8)::text end,
  case when not is_out and s.place = 0 then 'E00038166' || to_char(created_at at time zone 'UTC', 'YYYYMMDDHH24MI') || substr(h, 10, 11) end,
  case when p.family = 'offramps' then 'payee.' || r3 % 50000 || '@example.com' end, case when p.family = 'offramps' then 'email' end,
  case when not is_out then (array['Ana Souza', 'Bruno Lima', 'Maria de Fátima Conceição', 'Carlos Nunes', 'João Antônio Araújo',
                                   'Oficina São Jorge Ltda', 'Luísa Helena d''Ávila', 'Mercado "Bom Preço"'])[1 + r4 % 8] end,
  case when not is_out then lpad((10000000000 + (r3 % 50000)::bigint * 1657)::text, 11, '0') end,
  case when not is_out then created_at + interval '30 minutes' end,
  case when not is_out then 'https://shop.example/done' end, case when not is_out then 'order-' || p.i end,
  case when not is_out then 'https://shop.example/hooks/ramp' end,
  case when p.template = 'crossramp_checkout' and r4 % 2 = 0 then 'loja-centro' end,
  case when is_out or p.template = 'onramp_instant' then 'T' || translate(initcap(substr(md5(h), 1, 32)), '0', 'x') || 'q' end,
  case when p.template = 'offramp_instant' then 'T' || translate(initcap(substr(md5(h), 1, 32)), '0', 'y') || 'p' end,
  case when p.template = 'offramp_instant' then 'T' || translate(initcap(substr(h, 1, 32)), '0', 'z') || 'r' end,
  case when p.template in ('onramp_instant', 'offramp_instant', 'withdraw_dash_same_curr') then h || md5(h) end,
  case when is_out then 'wl-treasury-' || r4 % 20 end, case when is_out then 'Payout of ' || to_char(created_at, 'YYYY-MM') end
from priced p
join (select distinct template, steps, ended from step) n on n.template = p.template
join step s on s.template = p.template and s.place = case when r4 % 10 > 0 then 0 when p.i <= $2::bigint * 0.995 then r3 % n.ended else r3 % n.steps end
order by p.i`;

/** The heads of the lists, after every chunk: the next chunk's positions go on from them. */
export const UPDATE_LIST_HEADS = `
insert into list_head (account_id, family, last_seq, last_created_at)
  select account_id, family, count(*), max(created_at) from transaction where account_id = $1 and id between $2 and $3 group by 1, 2
on conflict (account_id, family) do update
  set last_seq = list_head.last_seq + excluded.last_seq, last_created_at = excluded.last_created_at`;

export const INSERT_LIST_DAYS = `
insert into list_day (account_id, family, day, first_seq)
  select account_id, family, (created_at at time zone 'UTC')::date, min(list_seq) from transaction where account_id = $1 group by 1, 2, 3`;

/** All lines of account $1 in a table of their own, with their chained balances. $2: currencies, in order. */
export const STAGE_LINES = `
create unlogged table bench_line as
with pattern as (
  select * from (values
    (true, 1, 1, 'E.fx', -1, 0), (true, 2, 1, '3', 1, 0), (true, 3, 2, '3', -1, 0), (true, 4, 2, '1', 1, 0), (true, 5, 2, '1', 0, -1), (true, 6, 2, 'R.fee', 0, 1),
    (false, 1, 1, '1', -1, 0), (false, 2, 1, '2', 1, 0), (false, 3, 2, '2', -1, 0), (false, 4, 2, 'E.fx', 1, 0), (false, 5, 2, '1', 0, -1), (false, 6, 2, 'R.fee', 0, 1)
  ) p(is_in, place, journal, role, amount, fee)
), account as (
  select id, currency, scale, coalesce(house, sub_account::text) as role, house is not null as house from ledger_account where account_id = ACCOUNT
), opening as (
  select c.ord as journal, a.id as la, a.house, case a.role when '1' then 1 else -1 end * 10000000 * power(10::numeric, a.scale) as delta,
         null::bigint as tx, c.ord * 10 + case a.role when '1' then 1 else 0 end as ord, '2025-01-01 00:00:00Z'::timestamptz as posted_at
    from unnest(CURRENCIES::text[]) with ordinality c(currency, ord) join account a on a.currency = c.currency and a.role in ('1', 'E.capital')
), moved as (
  select t.id, t.created_at, t.source_currency = 'BRL' as is_in, case when t.source_currency = 'BRL' then t.target_currency else t.source_currency end as coin,
         case when t.source_currency = 'BRL' then t.target_amount else t.source_amount end as amount
    from transaction t where t.account_id = ACCOUNT
), line as (
  select * from opening
  union all
  select cardinality(CURRENCIES::text[]) + (m.id - 1) * 2 + p.journal, a.id, a.house,
         round(p.amount * m.amount * power(10::numeric, a.scale)) + p.fee * (1 + floor(m.amount * power(10::numeric, a.scale) / 1000)),
         m.id, m.id * 100 + p.place, m.created_at + least(interval '60 seconds', interval '${SEED_DAYS} days' / SIZE / 5) * p.journal
    from moved m join pattern p on p.is_in = m.is_in join account a on a.currency = m.coin and a.role = p.role
)
select journal, la, house, delta, tx, date_trunc('milliseconds', posted_at) as posted_at, ord,
       row_number() over by_account as seq, sum(delta) over by_account as balance,
       case when house then -row_number() over by_side else row_number() over by_side end as id
  from line
window by_account as (partition by la order by tx nulls first, ord rows unbounded preceding),
       by_side as (partition by house order by tx nulls first, ord)`;

export const INSERT_JOURNALS = `
insert into journal (account_id, id, ref, request_hash, name, transaction_id, posted_at, line_count)
  select $1, journal, 'bench:' || journal, sha256(int8send(journal)), case when tx is null then 'opening' else 'bench' end, tx, posted_at, count(*)
    from bench_line group by journal, tx, posted_at order by journal`;

/** Lines of the journals $2 to $3: whole journals in one statement, as the trigger `balanced` demands. */
export const INSERT_LINES = `
insert into ledger_line (account_id, ledger_account_id, seq, id, journal_id, transaction_id, posted_at, delta, balance_before, balance_after)
  select $1, la, seq, id, journal, tx, posted_at, delta, balance - delta, balance from bench_line where journal between $2 and $3 order by journal, ord`;

export const INSERT_LEDGER_DAYS = `
insert into ledger_day (account_id, ledger_account_id, day, first_seq)
  select $1, la, (posted_at at time zone 'UTC')::date, min(seq) from bench_line where not house group by la, 3`;

export const UPDATE_BALANCES = `
update ledger_balance b set balance = u.balance, last_seq = u.lines
  from (select la, sum(delta) as balance, count(*) as lines from bench_line group by la) u
 where b.account_id = $1 and b.ledger_account_id = u.la`;

/** Last of all: an account whose counters are set was seeded to its end. */
export const UPDATE_COUNTERS = `
update account_head h set transaction_id = $2, journal_id = u.journal, line_id = u.line, house_line_id = u.house, posted_at = u.posted_at
  from (select max(journal) as journal, max(id) as line, min(id) as house, max(posted_at) as posted_at from bench_line) u
 where h.account_id = $1`;
