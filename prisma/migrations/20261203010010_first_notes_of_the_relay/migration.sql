-- The first note of each account of a mode (null: of all), of at most so many accounts: one look into the primary key for each account,
-- however many notes it has. Without sorting that is the only way: a plan from when the queue was empty, as it mostly is, would read
-- all notes for each account.
create function relay_first_notes(p_mode text, p_max int) returns table (account_id bigint, at timestamptz)
language sql stable set search_path = public, pg_temp set enable_sort = off as $$
  with recursive first as (
    -- Before all accounts.
    select 0::bigint as account_id, null::timestamptz(3) as at
    union all
    select n.account_id, n.at from first f cross join lateral (
      select q.account_id, q.at from relay_queue q where q.account_id > f.account_id order by q.account_id, q.seq limit 1) n
  )
  select f.account_id, f.at from first f
   where f.account_id > 0 and (p_mode is null or (select mode from account where id = f.account_id) = p_mode) limit p_max
$$;
