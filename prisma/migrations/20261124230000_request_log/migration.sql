-- The request log: one row for each answered request of a key, a person or a payer. It is written in batches beside the
-- requests and deleted by age. There is no reference to account: accounts are never deleted, and a row must not wait for one.
create table request_log (
  account_id  bigint not null,
  id          bigint generated always as identity,
  -- On the machine's clock, when the answer had ended.
  at          timestamptz(3) not null,
  actor_kind  text not null check (actor_kind in ('KEY', 'PERSON', 'PAYER')),
  actor_id    text not null,
  method      text not null,
  -- As in the route table: no ids, no query.
  route       text not null,
  operation   text,
  status      int not null,
  duration_ms int not null,
  request_id  text not null,
  end2end     text,
  error_code  text,
  primary key (account_id, id)
);
create index request_log_by_time on request_log (at);
create index request_log_by_actor on request_log (account_id, actor_id, id);
create index request_log_by_request on request_log (account_id, request_id);
create index request_log_by_end2end on request_log (account_id, end2end, id) where end2end is not null;
create index request_log_of_errors on request_log (account_id, id) where status >= 400;

grant select, insert, delete on request_log to crossramp_app;
