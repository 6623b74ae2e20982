-- What `/readyz` writes, to know that the database takes writes. Its rows are there from the start and are only ever
-- updated in place, so it does not grow; several, so that processes do not wait for each other. It may be run again.
create table if not exists readiness_probe (
  slot int primary key,
  probed_at timestamptz(3) not null
) with (fillfactor = 50);

insert into readiness_probe (slot, probed_at) select n, now() from generate_series(0, 15) n
  on conflict do nothing;

grant select, update on readiness_probe to crossramp_app;
