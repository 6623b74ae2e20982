-- The request log in batches: one row for what an account asked in about half a second, up to 1,000 requests, and one row for each
-- term that a batch is found by, which many of its requests have in common. A row with six indexes for each request cost more than to
-- answer it (docs/decisions/0051-the-request-log-in-batches.md). The view has a row for each request, as the table had.
create table request_batch (
  id         bigint generated always as identity primary key,
  account_id bigint not null,
  -- On the machine's clock, when the last answer had ended.
  until      timestamptz(3) not null,
  requests   int not null check (requests between 1 and 1024),
  -- What it is found by: '' for all; texts such as 'actor key_1'.
  terms      json not null,
  -- A list for each request: when its answer had ended, in ms; kind and id of who asked; method; route; operation; status;
  -- duration in ms; id; transaction; code of the error.
  entries    json not null
);
-- Compressing would cost more than all the rest of a batch.
alter table request_batch alter column entries set storage external;

create table request_term (
  account_id bigint not null,
  term       text not null,
  batch_id   bigint not null,
  primary key (account_id, term, batch_id)
);

-- The terms of a batch come and go with it.
create function request_terms_come() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  insert into request_term (account_id, term, batch_id) select account_id, json_array_elements_text(terms), id from changed;
  return null;
end $$;
-- Each by its key: nothing is known of how many there are.
create function request_terms_go() returns trigger language plpgsql
  set search_path = public, pg_temp set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  delete from request_term t using (select account_id, json_array_elements_text(terms) as term, id from changed) gone
   where t.account_id = gone.account_id and t.term = gone.term and t.batch_id = gone.id;
  return null;
end $$;
create trigger terms_come after insert on request_batch referencing new table as changed
  for each statement execute function request_terms_come();
create trigger terms_go after delete on request_batch referencing old table as changed
  for each statement execute function request_terms_go();

-- What was recorded so far, in batches of 1,000 and of one day at most: a batch is kept as long as its newest request.
insert into request_batch (account_id, until, requests, terms, entries)
  select account_id, max(at), count(*),
    (select json_agg(distinct term) from unnest(array[''] || array_agg('actor ' || actor_id) ||
        array_agg('kind ' || actor_kind) || array_agg('status ' || status / 100) ||
        array_agg('request ' || case when request_id ~ '^.{14}7.{21}$' then left(request_id, 11) else request_id end) ||
        array_agg('transaction ' || end2end)) term where term is not null),
    json_agg(json_build_array((extract(epoch from at) * 1000)::bigint, actor_kind, actor_id, method, route, operation, status,
      duration_ms, request_id, end2end, error_code) order by id)
  from (select *, (row_number() over (partition by account_id, (at at time zone 'UTC')::date order by id) - 1) / 1000 as part
          from request_log) old
  group by account_id, (at at time zone 'UTC')::date, part order by max(id);
drop table request_log;

create view request_log as
  select b.account_id, (b.id << 10) + place - 1 as id, b.id as batch_id,
    to_timestamp((entry ->> 0)::bigint / 1000.0)::timestamptz(3) as at, entry ->> 1 as actor_kind, entry ->> 2 as actor_id,
    entry ->> 3 as method, entry ->> 4 as route, entry ->> 5 as operation, (entry ->> 6)::int as status,
    (entry ->> 7)::int as duration_ms, entry ->> 8 as request_id, entry ->> 9 as end2end, entry ->> 10 as error_code
  from request_batch b cross join lateral jsonb_array_elements(b.entries::jsonb) with ordinality as entries (entry, place);

grant select, insert, delete on request_batch, request_term to crossramp_app;
grant select on request_log to crossramp_app;
