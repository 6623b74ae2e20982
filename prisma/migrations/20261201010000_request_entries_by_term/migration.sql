-- An entry of the request log says who asked and of which transaction by the place of a term of its batch, from 0. Entries that were
-- written before say both in full: a third of a batch (docs/decisions/0051-the-request-log-in-batches.md).
create or replace view request_log as
  select b.account_id, (b.id << 10) + place - 1 as id, b.id as batch_id,
    to_timestamp((entry ->> 0)::bigint / 1000.0)::timestamptz(3) as at, entry ->> 1 as actor_kind,
    case jsonb_typeof(entry -> 2) when 'number' then substr(t.terms ->> (entry ->> 2)::int, length('actor ') + 1)
      else entry ->> 2 end as actor_id,
    entry ->> 3 as method, entry ->> 4 as route, entry ->> 5 as operation, (entry ->> 6)::int as status,
    (entry ->> 7)::int as duration_ms, entry ->> 8 as request_id,
    case jsonb_typeof(entry -> 9) when 'number' then substr(t.terms ->> (entry ->> 9)::int, length('transaction ') + 1)
      else entry ->> 9 end as end2end,
    entry ->> 10 as error_code
  -- `offset 0`: a batch is read once, not its terms for each of its entries.
  from request_batch b cross join lateral (select b.terms::jsonb, b.entries::jsonb offset 0) t (terms, list)
    cross join lateral jsonb_array_elements(t.list) with ordinality as entries (entry, place);
