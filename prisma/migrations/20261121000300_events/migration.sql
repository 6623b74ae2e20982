-- The durable event log. Dense per account; `xid` lets a reader see only what can no longer be overtaken.

create table event (
  account_id     bigint not null references account,
  seq            bigint not null,
  id             bigint generated always as identity,
  xid            xid8 not null default pg_current_xact_id(),
  name           text not null,
  transaction_id bigint not null,
  sequence       int not null,
  component      text not null,
  state          text not null,
  occurred_at    timestamptz(3) not null,
  payload        text not null,
  primary key (account_id, seq),
  unique (account_id, transaction_id, sequence)
);
create index event_in_commit_order on event (xid, id);
create trigger append_only before update or delete or truncate on event for each statement execute function deny_change();
alter table event enable always trigger append_only;
