-- From which day in Brasília on the volumes of an account are all made of what its transactions say; null: from the first. An
-- account that is older than this has volumes of transactions that do not say what was counted of them.
alter table account add column if not exists volumes_from date;
update account a set volumes_from = 1 + greatest(
  ((now() + make_interval(secs => coalesce((select ahead_ms from sandbox_clock), 0) / 1000.0)) at time zone 'America/Sao_Paulo')::date,
  (select max(day) from volume_day v where v.account_id = a.id));
