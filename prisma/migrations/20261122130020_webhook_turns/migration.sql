-- When it is whose turn: a pump asks for the endpoints whose time has come and locks those alone, instead of every endpoint
-- for which something waits. And who has leased what: what a process that died had under way is known as soon as its sign
-- of life is missing, not only when its leases end.

create table webhook_turn (
  account_id  bigint not null,
  endpoint_id text not null,
  -- Nothing of the endpoint can be sent before then; infinity: not until somebody says otherwise.
  at          timestamptz(3) not null,
  primary key (account_id, endpoint_id)
);
create index webhook_turn_in_order on webhook_turn (at);
insert into webhook_turn (account_id, endpoint_id, at)
  select distinct account_id, endpoint_id, '-infinity'::timestamptz from webhook_delivery where state = 'pending';

create table webhook_worker (
  id      text primary key,
  -- On the clock of its machine.
  seen_at timestamptz(3) not null
);

alter table webhook_delivery add column leased_by text, add column at_once boolean not null default false;
comment on column webhook_delivery.at_once is 'asked for by hand: sent past the breaker, pauses that the receiver asked for, and order';
create index webhook_delivery_of_worker on webhook_delivery (leased_by) where leased_by is not null;
create index webhook_delivery_at_once on webhook_delivery (account_id, endpoint_id) where at_once and state = 'pending';
-- When the next one is due. It says `ended_at is null`, so that no question by `state` is ever planned over it.
create index webhook_delivery_next_due on webhook_delivery (account_id, endpoint_id, due_at) where ended_at is null;
