-- The double-entry ledger: append-only lines with the balance before and after, one mutable row per ledger account, and one way to post.
-- Amounts are minor units of the ledger account's scale; a credit is positive.

-- A ledger account: a sub-account of the account holder, or a house account by its name in the chart.
create table ledger_account (
  account_id  bigint not null references account,
  id          bigint not null,
  code        text not null,
  name        text not null,
  currency    text not null,
  pretty_name text not null,
  scale       smallint not null check (scale between 0 and 18),
  sub_account smallint not null check (sub_account between 0 and 4),
  house       text check ((house is null) = (sub_account > 0)),
  primary key (account_id, id),
  unique (account_id, code, currency)
);
create unique index ledger_account_sub_account on ledger_account (account_id, currency, sub_account) where sub_account > 0;
create unique index ledger_account_house on ledger_account (account_id, currency, house) where house is not null;
-- Debts of account holders to the house, over all accounts.
create index ledger_account_receivable on ledger_account (account_id, currency) where house = 'A.recv';
-- Own funds of the house over all accounts, by currency (OWN_FUNDS in src/ledger/chart.ts).
create index ledger_account_of_own_funds on ledger_account (currency, account_id)
  where house in ('E.fx', 'E.capital', 'R.fee', 'R.netfee', 'R.dust', 'X.gas', 'X.loss');

-- Side of zero on which a house account stays. Payers, payees and unknown senders are never owed less than nothing: 1, never below zero.
-- Money on its way in or owed by an account holder is an asset, with its debit below zero: -1, never above it. 0: either.
create function house_side(p_house text) returns smallint language sql immutable parallel safe as $$
  select case when p_house in ('L.payer', 'L.payout', 'L.suspense') then 1 when p_house in ('A.inbound', 'A.recv') then -1 else 0 end::smallint
$$;

-- Balance of each ledger account, the only rows of the ledger that change. No index on a changing column, room on each page: updates stay
-- in place.
create table ledger_balance (
  account_id        bigint not null,
  ledger_account_id bigint not null,
  allow_negative    boolean not null,
  balance           numeric(78, 0) not null default 0,
  last_seq          bigint not null default 0 check (last_seq >= 0),
  -- As `house_side` says. An account that was on the wrong side when sides came in has 0.
  side              smallint not null default 0,
  primary key (account_id, ledger_account_id),
  foreign key (account_id, ledger_account_id) references ledger_account,
  check (balance <> 'NaN' and (allow_negative or balance >= 0)),
  constraint ledger_balance_side check (balance * side >= 0)
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- A journal: balanced lines that were posted together under one reference. No key to `account`, as `transaction` has none.
create table journal (
  account_id     bigint not null,
  id             bigint not null,
  ref            text not null,
  request_hash   bytea not null,
  name           text not null,
  transaction_id bigint,
  posted_at      timestamptz(3) not null,
  line_count     smallint not null check (line_count >= 2),
  primary key (account_id, id),
  unique (account_id, ref)
);

-- A line of a ledger account, with its balance before and after. No foreign keys: they double the cost of a posting, and the posting
-- functions and the auditor hold what they would (docs/decisions/0006-ledger-layout.md).
create table ledger_line (
  account_id        bigint not null,
  ledger_account_id bigint not null,
  seq               bigint not null check (seq >= 0),
  id                bigint not null,
  journal_id        bigint not null,
  transaction_id    bigint,
  posted_at         timestamptz(3) not null,
  delta             numeric(78, 0) not null check (delta <> 0 and delta <> 'NaN'),
  balance_before    numeric(78, 0) not null,
  balance_after     numeric(78, 0) not null,
  primary key (account_id, ledger_account_id, seq),
  check (balance_before + delta = balance_after)
);
-- Position of a line id in its ledger account, from the index alone. Only statements ask for it, whose lines have ids above zero: lines of
-- house accounts, most of a journal, count down from zero and leave the index alone.
create unique index ledger_line_rank on ledger_line (account_id, ledger_account_id, id) include (seq) where id > 0;
create index ledger_line_by_transaction on ledger_line (account_id, transaction_id) where transaction_id is not null;
-- The lines of a journal are found by its transaction; those of adjustments and of imported history have none.
create index ledger_line_adjustment on ledger_line (account_id, journal_id) where transaction_id is null;

-- First line of a ledger account in each UTC day.
create table ledger_day (
  account_id        bigint not null,
  ledger_account_id bigint not null,
  day               date not null,
  first_seq         bigint not null,
  primary key (account_id, ledger_account_id, day)
);

create trigger append_only before update or delete or truncate on journal for each statement execute function deny_change();
create trigger append_only before update or delete or truncate on ledger_line for each statement execute function deny_change();
create trigger append_only before update or delete or truncate on ledger_day for each statement execute function deny_change();
alter table journal enable always trigger append_only;
alter table ledger_line enable always trigger append_only;
alter table ledger_day enable always trigger append_only;

-- Refuses a journal whose debits and credits differ in a currency, or that does not arrive whole, in one statement.
create function check_journals() returns trigger language plpgsql as $$
declare bad bigint;
begin
  select l.journal_id into bad
    from new_lines l join ledger_account a on a.account_id = l.account_id and a.id = l.ledger_account_id
   group by l.account_id, l.journal_id, a.currency having sum(l.delta) <> 0 limit 1;
  if found then raise exception 'journal % does not balance', bad using errcode = '23514'; end if;
  select n.journal_id into bad
    from (select account_id, journal_id, count(*) as lines from new_lines group by account_id, journal_id) n
   where (select j.line_count from journal j where j.account_id = n.account_id and j.id = n.journal_id)
         is distinct from n.lines limit 1;
  if found then raise exception 'journal % is not whole', bad using errcode = '23514'; end if;
  select l.journal_id into bad from new_lines l
    left join ledger_account a on a.account_id = l.account_id and a.id = l.ledger_account_id
   where a.id is null limit 1;
  if found then raise exception 'journal % names an unknown ledger account', bad using errcode = '23503'; end if;
  return null;
end $$;
create trigger balanced after insert on ledger_line referencing new table as new_lines
  for each statement execute function check_journals();
alter table ledger_line enable always trigger balanced;

-- Posts journals, each whole or not at all. Parallel arrays: one element per journal (p_account, p_ref, p_hash, p_name, p_transaction) and
-- one per line (p_journal: index of its journal from 1, ascending; p_ledger_account; p_delta in minor units, credit positive). A ledger
-- account appears once in a journal, or its credits first.
-- Codes: POSTED; DUPLICATE (same ref and hash: nothing posted again); REF_CONFLICT (same ref, other hash); UNKNOWN_LEDGER_ACCOUNT;
-- UNBALANCED (per currency, or a fraction of a minor unit); INSUFFICIENT_BALANCE (a sub-account would go below zero).
-- The caller gives the time: without a volatile function the update of the head does the same on any copy of the database. Generic plans,
-- because they do not depend on the arrays, and planning about fifteen statements was most of what a small batch cost (bench/README.md).
create function ledger_post(
  p_account bigint[], p_ref text[], p_hash bytea[], p_name text[], p_transaction bigint[], p_posted_at timestamptz,
  p_journal int[], p_ledger_account bigint[], p_delta numeric[])
returns table (ix int, code text, journal_id bigint)
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  n int := cardinality(p_ref);
  m int := cardinality(p_journal);
  outcome text[] := array_fill('POSTED'::text, array[cardinality(p_ref)]);
  ids bigint[] := array_fill(null::bigint, array[cardinality(p_ref)]);
  line_count int[] := array_fill(0, array[cardinality(p_ref)]);
  b_account bigint[]; b_id bigint[]; b_balance numeric[]; b_start numeric[]; b_seq bigint[]; b_negative boolean[];
  slot int[];                                     -- per line: its place in the b_ arrays, 0 when unknown
  r record; i int; j int; k int; z int; fits boolean;
begin
  if p_posted_at is null then raise exception 'journals have a time' using errcode = '22004'; end if;
  if (select count(distinct (a, f)) from unnest(p_account, p_ref) u(a, f)) <> n then
    raise exception 'a ref is repeated within one batch' using errcode = '22023';
  end if;
  -- 1. One lock per account, always in this order: no deadlock, and all that follows reads what is settled.
  perform 1 from account_head where account_id = any (p_account) order by account_id for update;
  select array_agg(b.account_id), array_agg(b.ledger_account_id), array_agg(b.balance), array_agg(b.last_seq), array_agg(b.allow_negative)
    into b_account, b_id, b_balance, b_seq, b_negative
    from ledger_balance b
    join (select distinct p_account[u.e] as account_id, u.a as id from unnest(p_journal, p_ledger_account) u(e, a)) w
      on w.account_id = b.account_id and w.id = b.ledger_account_id;
  b_start := b_balance;
  select array_agg(coalesce(x.place, 0)::int order by t.ord) into slot
    from unnest(p_journal, p_ledger_account) with ordinality t(e, a, ord)
    left join unnest(b_account, b_id) with ordinality x(account_id, id, place) on x.account_id = p_account[t.e] and x.id = t.a;
  -- 2. What was posted before.
  -- Lateral, so that each ref is one probe of the index whatever the planner believes of the table.
  for r in select q.i, j.id, j.request_hash = p_hash[q.i] as same
             from (select * from unnest(p_account, p_ref) with ordinality u(account_id, ref, i)) q
             cross join lateral (select x.id, x.request_hash from journal x
                                  where x.account_id = q.account_id and x.ref = q.ref limit 1) j loop
    outcome[r.i] := case when r.same then 'DUPLICATE' else 'REF_CONFLICT' end;
    ids[r.i] := r.id;
  end loop;
  -- 3. Known, and balanced per currency in whole minor units.
  for r in select distinct t.e from unnest(p_journal, slot) t(e, s) where t.s = 0 loop
    if outcome[r.e] = 'POSTED' then outcome[r.e] := 'UNKNOWN_LEDGER_ACCOUNT'; end if;
  end loop;
  for r in select t.e from unnest(p_journal, p_ledger_account, p_delta) t(e, a, d)
             join ledger_account la on la.account_id = p_account[t.e] and la.id = t.a
            group by t.e, la.currency having sum(t.d) <> 0 or bool_or(t.d <> trunc(t.d)) loop
    if outcome[r.e] = 'POSTED' then outcome[r.e] := 'UNBALANCED'; end if;
  end loop;
  -- 4. Funds, journal by journal in memory: one that would overdraw is dropped, later ones see the right balance.
  j := 1;
  while j <= m loop
    i := p_journal[j]; k := j; fits := outcome[i] = 'POSTED';
    while k <= m and p_journal[k] = i loop
      line_count[i] := line_count[i] + 1;
      k := k + 1;
    end loop;
    if fits then
      for z in j .. k - 1 loop b_balance[slot[z]] := b_balance[slot[z]] + p_delta[z]; end loop;
      for z in j .. k - 1 loop
        if p_delta[z] < 0 and not b_negative[slot[z]] and b_balance[slot[z]] < 0 then fits := false; end if;
      end loop;
      if not fits then
        outcome[i] := 'INSUFFICIENT_BALANCE';
        for z in j .. k - 1 loop b_balance[slot[z]] := b_balance[slot[z]] - p_delta[z]; end loop;
      end if;
    end if;
    j := k;
  end loop;
  if not 'POSTED' = any (outcome) then
    return query select g, outcome[g], ids[g] from generate_series(1, n) g;
    return;
  end if;
  -- 5. Time and ids, after the lock: both rise with every journal of the account.
  update account_head h set posted_at = greatest(h.posted_at, p_posted_at) where account_id = any (p_account);
  for r in select u.i, h.journal_id + row_number() over (partition by u.account_id order by u.i) as id
             from unnest(p_account) with ordinality u(account_id, i) join account_head h on h.account_id = u.account_id
            where outcome[u.i] = 'POSTED' loop
    ids[r.i] := r.id;
  end loop;
  insert into journal (account_id, id, ref, request_hash, name, transaction_id, posted_at, line_count)
    select u.account_id, ids[u.i], u.ref, u.hash, u.name, u.tx, h.posted_at, line_count[u.i]
      from unnest(p_account, p_ref, p_hash, p_name, p_transaction) with ordinality u(account_id, ref, hash, name, tx, i)
      join account_head h on h.account_id = u.account_id where outcome[u.i] = 'POSTED';
  -- 6. First line of a sub-account in a new UTC day.
  insert into ledger_day (account_id, ledger_account_id, day, first_seq)
    select distinct b_account[l.s], b_id[l.s], (h.posted_at at time zone 'UTC')::date, b_seq[l.s] + 1
      from unnest(slot, p_journal) l(s, e) join account_head h on h.account_id = p_account[l.e]
     where l.s > 0 and outcome[l.e] = 'POSTED' and not b_negative[l.s]
  on conflict do nothing;
  -- 7. Lines, in the order given, each with the balance before and after.
  insert into ledger_line (account_id, ledger_account_id, seq, id, journal_id, transaction_id, posted_at, delta, balance_before, balance_after)
    select x.account_id, b_id[x.s], b_seq[x.s] + row_number() over w,
           case when x.house then h.house_line_id - row_number() over g else h.line_id + row_number() over g end,
           ids[x.e], p_transaction[x.e], h.posted_at, x.d, b_start[x.s] + sum(x.d) over w - x.d, b_start[x.s] + sum(x.d) over w
      from (select p_account[l.e] as account_id, b_negative[l.s] as house, l.*
              from unnest(slot, p_journal, p_delta) with ordinality l(s, e, d, ord) where l.s > 0 and outcome[l.e] = 'POSTED') x
      join account_head h on h.account_id = x.account_id
    window w as (partition by x.s order by x.ord rows unbounded preceding),
           g as (partition by x.account_id, x.house order by x.ord);
  update ledger_balance b set balance = u.balance, last_seq = b.last_seq + u.lines
    from (select l.s, b_balance[l.s] as balance, count(*) as lines
            from unnest(slot, p_journal) l(s, e) where l.s > 0 and outcome[l.e] = 'POSTED' group by l.s) u
   where b.account_id = b_account[u.s] and b.ledger_account_id = b_id[u.s];
  update account_head h set journal_id = h.journal_id + u.journals, line_id = h.line_id + u.lines, house_line_id = h.house_line_id - u.house_lines
    from (select p_account[l.e] as account_id, count(distinct l.e) as journals,
                 count(*) filter (where not b_negative[l.s]) as lines, count(*) filter (where b_negative[l.s]) as house_lines
            from unnest(slot, p_journal) l(s, e) where l.s > 0 and outcome[l.e] = 'POSTED' group by 1) u
   where h.account_id = u.account_id;
  return query select g, outcome[g], ids[g] from generate_series(1, n) g;
end $$;

-- Opens ledger accounts that do not exist yet; ids are given under the account's lock. Sub-accounts may not go below zero, house accounts
-- may. p_id preserves the public id of imported ones; otherwise sub-accounts get the next id, and house accounts count down from -1, so
-- that their ids never stand in the way of imported ones.
create function ledger_open(
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

-- Imports lines of history with their own ids and times (C-70). Lines arrive in the order of their ids within each ledger account and have
-- been checked by the caller; here the chain is what must hold. Each line is a journal of its own, the other side booked to the house
-- account `E.opening` of its currency; a first line that does not start from zero gets an opening balance (seq 0, outside of the
-- statement) in the same way. Without nested loops, so that importing is linear in the length of the history.
create function ledger_import(
  p_account bigint, p_ledger_account bigint[], p_id bigint[], p_posted_at timestamptz[], p_transaction bigint[],
  p_before numeric[], p_delta numeric[])
returns void language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan
set enable_nestloop = off as $$
declare v_head account_head;
begin
  select * into v_head from account_head where account_id = p_account for update;
  create temporary table import_line on commit drop as
    with given as (
      select u.*, a.currency, b.last_seq, b.balance as start,
             row_number() over (partition by u.la order by u.id) as n,
             lag(u.before + u.delta) over (partition by u.la order by u.id) as after_previous
        from unnest(p_ledger_account, p_id, p_posted_at, p_transaction, p_before, p_delta) u(la, id, posted_at, tx, before, delta)
        join ledger_account a on a.account_id = p_account and a.id = u.la
        join ledger_balance b on b.account_id = p_account and b.ledger_account_id = u.la
    ), opening as (
      select la, currency, 0::bigint as seq, null::bigint as id, posted_at, null::bigint as tx, 0::numeric as before, before as delta, id as first_id
        from given where n = 1 and last_seq = 0 and before <> 0
    )
    select *, row_number() over (order by posted_at, first_id, seq) as journal
      from (select * from opening
            union all
            select la, currency, last_seq + n, id, posted_at, tx, before, delta, id from given) x;
  if exists (select from (select i.la, i.before, coalesce(lag(i.before + i.delta) over (partition by i.la order by i.seq), b.balance) as expected
                            from import_line i join ledger_balance b on b.account_id = p_account and b.ledger_account_id = i.la) c
              where c.before <> c.expected) then
    raise exception 'imported lines do not chain' using errcode = '23514';
  end if;
  insert into journal (account_id, id, ref, request_hash, name, transaction_id, posted_at, line_count)
    select p_account, v_head.journal_id + i.journal,
           case when i.seq = 0 then 'opening:' || i.la else 'import:' || i.id end,
           sha256(convert_to(concat_ws('|', i.la, i.id, i.posted_at, i.before, i.delta), 'UTF8')), 'import', i.tx, i.posted_at, 2
      from import_line i;
  insert into ledger_line (account_id, ledger_account_id, seq, id, journal_id, transaction_id, posted_at, delta, balance_before, balance_after)
    select p_account, i.la, i.seq, coalesce(i.id, v_head.house_line_id - (select count(*) from import_line) - i.journal),
           v_head.journal_id + i.journal, i.tx, i.posted_at, i.delta, i.before, i.before + i.delta
      from import_line i
    union all
    select p_account, c.ledger_account_id, c.last_seq + row_number() over w, v_head.house_line_id - i.journal, v_head.journal_id + i.journal,
           i.tx, i.posted_at, -i.delta, c.balance - sum(i.delta) over w + i.delta, c.balance - sum(i.delta) over w
      from import_line i
      join ledger_account a on a.account_id = p_account and a.currency = i.currency and a.house = 'E.opening'
      join ledger_balance c on c.account_id = p_account and c.ledger_account_id = a.id
    window w as (partition by i.currency order by i.journal rows unbounded preceding);
  insert into ledger_day (account_id, ledger_account_id, day, first_seq)
    select p_account, la, (posted_at at time zone 'UTC')::date, min(seq) from import_line where seq > 0 group by la, 3
  on conflict do nothing;
  update ledger_balance b set balance = b.balance + u.delta, last_seq = b.last_seq + u.lines
    from (select la, sum(delta) as delta, count(*) filter (where seq > 0) as lines from import_line group by la) u
   where b.account_id = p_account and b.ledger_account_id = u.la;
  update ledger_balance b set balance = b.balance - u.delta, last_seq = b.last_seq + u.lines
    from (select a.id as la, sum(i.delta) as delta, count(*) as lines
            from import_line i join ledger_account a on a.account_id = p_account and a.currency = i.currency and a.house = 'E.opening'
           group by a.id) u
   where b.account_id = p_account and b.ledger_account_id = u.la;
  update account_head set journal_id = journal_id + (select count(*) from import_line),
                          house_line_id = house_line_id - 2 * (select count(*) from import_line),
                          line_id = greatest(line_id, coalesce((select max(id) from import_line), 0)),
                          posted_at = greatest(posted_at, (select max(posted_at) from import_line))
   where account_id = p_account;
  drop table import_line;
end $$;

-- Positions of the first and the last line of each matching sub-account between two UTC days, both inclusive. A list of currencies, because
-- an asset as a filter matches all its networks (C-6); null takes all.
create function statement_window(p_account bigint, p_currencies text[], p_sub_account smallint, p_from date, p_to date)
returns table (ledger_account_id bigint, lo bigint, hi bigint) language sql stable parallel safe as $$
  select b.ledger_account_id,
    case when p_from is null then 1 else coalesce(
      (select d.first_seq from ledger_day d where d.account_id = p_account and d.ledger_account_id = b.ledger_account_id and d.day >= p_from order by d.day limit 1),
      b.last_seq + 1) end,
    case when p_to is null then b.last_seq else coalesce(
      (select d.first_seq - 1 from ledger_day d where d.account_id = p_account and d.ledger_account_id = b.ledger_account_id and d.day > p_to order by d.day limit 1),
      b.last_seq) end
  from ledger_account a join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
  where a.account_id = p_account and a.sub_account > 0
    and (p_currencies is null or a.currency = any (p_currencies)) and (p_sub_account is null or a.sub_account = p_sub_account)
$$;

-- One page of the statement, newest line first, with the exact total of all matching lines, from one snapshot. Pages by offset, or by
-- p_before: only lines with a smaller id (then p_offset is 0). An empty page is one row with the total and a null line. One sub-account
-- costs one index seek at any offset; k sub-accounts are merged, and a deep offset is found by binary search on the line id with one
-- index-only probe per sub-account. Each probe by id says `id > 0`, which is the condition of that index. The planner is told how few rows
-- come: with its default of 1000 it would hash all transactions of the account to join a page.
create function statement_page(p_account bigint, p_currencies text[], p_sub_account smallint, p_from date, p_to date,
                               p_limit int, p_offset bigint, p_before bigint)
returns table (total bigint, line ledger_line) language plpgsql stable parallel safe rows 20 as $$
#variable_conflict use_column
declare
  a bigint[]; lo bigint[]; hi bigint[]; n bigint; k int; i int; take int := p_limit; skip bigint := p_offset;
  low bigint; high bigint; mid bigint; newer bigint; place bigint;
begin
  select array_agg(w.ledger_account_id), array_agg(w.lo), array_agg(w.hi), coalesce(sum(w.hi - w.lo + 1), 0)
    into a, lo, hi, n from statement_window(p_account, p_currencies, p_sub_account, p_from, p_to) w where w.hi >= w.lo;
  k := coalesce(cardinality(a), 0);
  if p_before is not null then
    for i in 1 .. k loop
      select l.seq into place from ledger_line l
       where l.account_id = p_account and l.ledger_account_id = a[i] and l.id > 0 and l.id < p_before order by l.id desc limit 1;
      hi[i] := least(hi[i], coalesce(place, 0));
    end loop;
  elsif k = 1 then
    hi[1] := hi[1] - p_offset; skip := 0;
  elsif p_offset + p_limit <= 200 then
    take := p_limit + p_offset::int;
  elsif p_offset < n then
    -- The largest id v such that just p_offset lines of the windows have a greater id.
    select max(l.id), min(f.id) - 1 into high, low
      from unnest(a, lo, hi) t(a, lo, hi)
      join ledger_line l on l.account_id = p_account and l.ledger_account_id = t.a and l.seq = t.hi
      join ledger_line f on f.account_id = p_account and f.ledger_account_id = t.a and f.seq = t.lo;
    while low < high loop
      mid := (low + high + 1) / 2; newer := 0;
      for i in 1 .. k loop
        select l.seq into place from ledger_line l
         where l.account_id = p_account and l.ledger_account_id = a[i] and l.id > 0 and l.id <= mid order by l.id desc limit 1;
        newer := newer + hi[i] - greatest(least(coalesce(place, 0), hi[i]), lo[i] - 1);
      end loop;
      if newer >= p_offset then low := mid; else high := mid - 1; end if;
    end loop;
    for i in 1 .. k loop
      select l.seq into place from ledger_line l
       where l.account_id = p_account and l.ledger_account_id = a[i] and l.id > 0 and l.id <= low order by l.id desc limit 1;
      hi[i] := least(coalesce(place, 0), hi[i]);
    end loop;
    skip := 0;
  else
    k := 0;
  end if;
  if k > 0 then
    return query
      select n, z from unnest(a, lo, hi) t(a, lo, hi)
        cross join lateral (select l from ledger_line l
                             where l.account_id = p_account and l.ledger_account_id = t.a
                               and l.seq <= t.hi and l.seq > greatest(t.hi - take, t.lo - 1)
                             order by l.seq desc) y(z)
       order by (z).id desc offset skip limit p_limit;
    if found then return; end if;
  end if;
  return query select n, null::ledger_line;
end $$;

-- Balance of a sub-account at an instant, in minor units: a probe in ledger_day, then a binary search in one day.
create function balance_at(p_account bigint, p_ledger_account bigint, p_at timestamptz) returns numeric
language plpgsql stable parallel safe as $$
declare low bigint; high bigint; mid bigint; t timestamptz; v_balance numeric;
begin
  select first_seq into low from ledger_day
   where account_id = p_account and ledger_account_id = p_ledger_account and day <= (p_at at time zone 'UTC')::date order by day desc limit 1;
  if not found then return coalesce((select l.balance_before from ledger_line l
    where l.account_id = p_account and l.ledger_account_id = p_ledger_account and l.seq = 1), 0); end if;
  select coalesce((select first_seq - 1 from ledger_day
                    where account_id = p_account and ledger_account_id = p_ledger_account and day > (p_at at time zone 'UTC')::date order by day limit 1),
                  last_seq) into high
    from ledger_balance where account_id = p_account and ledger_account_id = p_ledger_account;
  low := low - 1;                                 -- line `low` is at or before p_at, or there is none
  while low < high loop
    mid := (low + high + 1) / 2;
    select posted_at into t from ledger_line where account_id = p_account and ledger_account_id = p_ledger_account and seq = mid;
    if t <= p_at then low := mid; else high := mid - 1; end if;
  end loop;
  select balance_after into v_balance from ledger_line where account_id = p_account and ledger_account_id = p_ledger_account and seq = low;
  if found then return v_balance; end if;
  return coalesce((select l.balance_before from ledger_line l
    where l.account_id = p_account and l.ledger_account_id = p_ledger_account and l.seq = 1), 0);
end $$;

-- The seq of the last line of a ledger account before an instant; 0 or -1 where there is none. Lines are in the order of time, so a binary
-- search is enough. The probe asks for an order by seq, which only the primary key has: asked for one seq, the planner took the index by
-- id where there were no statistics yet, and read every line of the ledger account.
create function ledger_seq_before(p_account bigint, p_ledger_account bigint, p_at timestamptz) returns bigint
language plpgsql stable parallel safe as $$
declare low bigint := -1; high bigint; mid bigint; t timestamptz;
begin
  select last_seq into high from ledger_balance where account_id = p_account and ledger_account_id = p_ledger_account;
  while low < high loop
    mid := (low + high + 1) / 2;
    select posted_at into t from ledger_line
      where account_id = p_account and ledger_account_id = p_ledger_account and seq <= mid order by seq desc limit 1;
    -- A line 0 that is not there is before everything: only imported accounts have one.
    if not found or t < p_at then low := mid; else high := mid - 1; end if;
  end loop;
  return low;
end $$;
