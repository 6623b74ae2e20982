-- Everything that a rail tells comes in as news (C-34). What its transaction never takes is not tried any more, and stays in the
-- operator's list; a rail that tells it again has it tried again.
alter table rail_news add column untaken int not null default 0;
alter table rail_news drop constraint rail_news_outcome_check;
alter table rail_news add constraint rail_news_outcome_check
  check (outcome in ('pending', 'failed', 'step', 'suspense', 'noted'));
create index rail_news_waiting on rail_news (id) where outcome in ('pending', 'failed');

create or replace function deny_news_change() returns trigger language plpgsql as $$
begin
  if old.outcome not in ('pending', 'failed') or (new.id, new.mode, new.rail, new.kind, new.key, new.body, new.seen_at)
       is distinct from (old.id, old.mode, old.rail, old.kind, old.key, old.body, old.seen_at) then
    raise exception 'news of a rail is append-only: % refused', tg_op using errcode = '42501';
  end if;
  return new;
end $$;

-- A payout that came back to a transaction that does not take it is money in suspense.
alter table suspense_entry drop constraint suspense_entry_reason_check;
alter table suspense_entry add constraint suspense_entry_reason_check
  check (reason in ('not_due', 'second_payment', 'no_transaction', 'payout_returned', 'unknown'));

-- Jobs of the sandbox that were to tell a transaction something bring it as news.
update job set kind = 'news', payload = payload -> 'news' where kind = 'tell' and payload ? 'news';
update job j set kind = 'news', payload = jsonb_strip_nulls(case j.payload #>> '{trigger,on}'
    when 'payout_settled' then jsonb_build_object('kind', 'payout_ended', 'isDone', true)
    when 'payout_rejected' then jsonb_build_object('kind', 'payout_ended', 'isDone', false)
    when 'refund_settled' then jsonb_build_object('kind', 'refund_ended', 'rail', 'pix', 'isDone', true)
    when 'refund_failed' then jsonb_build_object('kind', 'refund_ended', 'rail', 'pix', 'isDone', false)
    when 'return_confirmed' then jsonb_build_object('kind', 'refund_ended', 'rail', 'chain', 'isDone', true)
    when 'delivery_broadcast' then jsonb_build_object('kind', 'broadcast_sent')
    when 'delivery_confirmed' then jsonb_build_object('kind', 'broadcast_confirmed')
    when 'delivery_failed' then jsonb_build_object('kind', 'broadcast_failed')
  end) || jsonb_build_object(
    'order', coalesce(j.payload #>> '{trigger,returnId}', t.end2end || ':' || j.id),
    'endToEndId', case when j.payload #>> '{trigger,on}' like 'refund%' then t.pix_e2e else j.payload #>> '{trigger,endToEndId}' end,
    'currency', t.target_currency,
    'txHash', coalesce(j.payload #>> '{trigger,txHash}', t.tx_hash),
    'networkFee', j.payload #> '{trigger,networkFee}',
    'gas', j.payload #> '{trigger,gas}')
  from transaction t where t.account_id = j.account_id and t.id = j.transaction_id and j.kind = 'tell'
    and j.payload #>> '{trigger,on}' in ('payout_settled', 'payout_rejected', 'refund_settled', 'refund_failed', 'return_confirmed',
      'delivery_broadcast', 'delivery_confirmed', 'delivery_failed');
