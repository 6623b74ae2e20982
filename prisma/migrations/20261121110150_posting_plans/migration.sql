-- Posting without planning anew at each call: the plans do not depend on the arrays, and planning about fifteen statements
-- was most of what a small batch cost (bench/README.md). What the functions do is unchanged.

create or replace function ledger_post(
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
  update account_head h set posted_at = greatest(h.posted_at, coalesce(p_posted_at, clock_timestamp())) where account_id = any (p_account);
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

create or replace function check_journals() returns trigger language plpgsql as $$
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
