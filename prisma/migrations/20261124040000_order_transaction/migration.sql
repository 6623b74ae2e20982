-- Which transaction an order of the sandbox is about; null for money that no transaction took. The key of an order does not tell
-- it: a return has an id of its own.
alter table sandbox_order add column if not exists transaction_id bigint;
update sandbox_order o set transaction_id = t.id from transaction t
  where t.account_id = o.account_id and t.end2end = split_part(o.key, ':', 1);
update sandbox_order o set transaction_id = t.id
  from transaction t cross join lateral jsonb_array_elements(t.process -> 'returns') r
  where o.transaction_id is null and t.account_id = o.account_id and r ->> 'returnId' = o.key;
