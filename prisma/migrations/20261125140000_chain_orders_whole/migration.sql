-- Of an order to a network, nothing that says what was ordered is changed: also not its fee, its proof, and when it was ordered.
create or replace function deny_chain_change() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'chain_order' then
    if (new.id, new.mode, new.network, new.key, new.intent, new.currency, new.to_address, new.amount_minor, new.fee_minor, new.from_address,
        new.key_index, new.deposit_index, new.proof, new.ordered_at)
         is distinct from (old.id, old.mode, old.network, old.key, old.intent, old.currency, old.to_address, old.amount_minor, old.fee_minor, old.from_address,
        old.key_index, old.deposit_index, old.proof, old.ordered_at)
       or old.state in ('confirmed', 'failed') then
      raise exception 'an order to a network is not changed: % refused', tg_op using errcode = '42501';
    end if;
  elsif old.raw is not null or (new.order_id, new.number, new.place, new.unsigned) is distinct from (old.order_id, old.number, old.place, old.unsigned) then
    raise exception 'a transaction that was made is not changed: % refused', tg_op using errcode = '42501';
  end if;
  return new;
end $$;
