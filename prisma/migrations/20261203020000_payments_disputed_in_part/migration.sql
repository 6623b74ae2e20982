-- A payment that was disputed in part counts whole until nothing is left of it (C-21; docs/limits.md). Versions before counted it no more
-- once a dispute about a part was accepted: these payments are counted again, on their day.

-- No step of another gateway may be between what is read and what is noted.
select from account_head
  where account_id in (select account_id from transaction where component = 'dispute' and state = 'ACCEPTED' and process <> '{}')
  order by account_id for update;

with uncounted as (
  select t.account_id, t.id, t.client_tax_id as subject, t.source_amount as brl,
      ((t.process ->> 'paidAt')::timestamptz at time zone 'America/Sao_Paulo')::date as day
    from transaction t cross join lateral (
      select sum((r #>> '{part,brl}')::numeric) as cents from jsonb_array_elements(t.process -> 'returns') r
        where r ->> 'kind' in ('refund', 'part', 'dispute') and r ->> 'state' not in ('retried', 'credited_back')
    ) back
    where t.component = 'dispute' and t.state = 'ACCEPTED' and back.cents < t.source_amount * 100 and t.client_tax_id is not null
      and t.process ? 'paidAt' and not t.process ? 'counted'
), noted as (
  update transaction t
      set process = t.process || jsonb_build_object('counted',
        jsonb_build_object('subject', u.subject, 'brl', u.brl::text, 'day', u.day, 'isPaid', true))
    from uncounted u where t.account_id = u.account_id and t.id = u.id
)
insert into volume_day (account_id, subject, day, paid)
  select account_id, subject, day, sum(brl) from uncounted group by 1, 2, 3
  on conflict (account_id, subject, day) do update set paid = volume_day.paid + excluded.paid;
