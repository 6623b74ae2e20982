-- The index by line id serves the statement, whose lines have ids above zero. Lines of the books of the house count down from
-- zero and are read by their place alone: most lines of a journal, and each wrote this index for nothing.
drop index ledger_line_rank;
create unique index ledger_line_rank on ledger_line (account_id, ledger_account_id, id) include (seq) where id > 0;

-- As before; each look at the index by id says that it is about lines of the statement.
create or replace function statement_page(p_account bigint, p_currency text, p_sub_account smallint, p_from date, p_to date,
                               p_limit int, p_offset bigint, p_before bigint)
returns table (total bigint, line ledger_line) language plpgsql stable parallel safe rows 20 as $$
#variable_conflict use_column
declare
  a bigint[]; lo bigint[]; hi bigint[]; n bigint; k int; i int; take int := p_limit; skip bigint := p_offset;
  low bigint; high bigint; mid bigint; newer bigint; place bigint;
begin
  select array_agg(w.ledger_account_id), array_agg(w.lo), array_agg(w.hi), coalesce(sum(w.hi - w.lo + 1), 0)
    into a, lo, hi, n from statement_window(p_account, p_currency, p_sub_account, p_from, p_to) w where w.hi >= w.lo;
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
