-- The record of a number, counted from 1, of several lists read as one, newest first (contract C-10); the oldest where there
-- are fewer, null where there are none. Each round leaves out the newest records of one list. Of k lists that are sorted,
-- the one whose record number s is the newest of these has it among the first k * s - (k - 1) of all: so these s of it all
-- stand before the wanted one while k * s is not more than what is left out. Each round leaves out a k-th of the rest, and
-- costs a probe for each list.
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
