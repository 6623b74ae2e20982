-- Posting takes its time from whoever posts, who always gives it: the update of the head has no volatile function, so that it does the
-- same on any copy of the database. What the function does besides is unchanged.
do $$
declare
  before text := pg_get_functiondef('ledger_post'::regproc);
  timed text := replace(before, 'coalesce(p_posted_at, clock_timestamp())', 'p_posted_at');
  after text := replace(timed, E'begin\n  if (select count(distinct (a, f))',
    E'begin\n  if p_posted_at is null then raise exception ''journals have a time'' using errcode = ''22004''; end if;\n'
    '  if (select count(distinct (a, f))');
begin
  if timed = before or after = timed then raise exception 'ledger_post is not as the migration posting_plans left it'; end if;
  execute after;
end $$;
