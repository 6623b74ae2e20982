-- The audit log: one entry for each act that is not a read, in a chain of hashes for each account. Length and last hash of
-- the chain stand in account_head, which whoever appends has locked.
alter table account_head
  add column audit_seq  bigint not null default 0,
  add column audit_hash bytea  not null default decode(repeat('00', 32), 'hex');

create table audit_entry (
  account_id  bigint not null references account,
  seq         bigint not null check (seq > 0),
  at          timestamptz(3) not null,
  actor_kind  text not null check (actor_kind in ('KEY', 'OPERATOR', 'PAYER', 'SYSTEM')),
  actor_id    text not null,
  scope       text not null,
  act         text not null,
  object_kind text not null,
  object_id   text not null,
  -- json and not jsonb: the hash is that of the text.
  before      json,
  after       json,
  -- Of an approval: who asked for what is approved.
  maker       text,
  request_id  text,
  address     text,
  hash        bytea not null check (octet_length(hash) = 32),
  primary key (account_id, seq)
);
create index audit_entry_by_object on audit_entry (account_id, object_id, seq);
create index audit_entry_by_act on audit_entry (account_id, act, seq);
create index audit_entry_by_actor on audit_entry (account_id, actor_id, seq);
-- Entries come in the order of time: a few pages tell where a day is.
create index audit_entry_by_time on audit_entry using brin (at);

create trigger append_only before update or delete or truncate on audit_entry for each statement execute function deny_change();
alter table audit_entry enable always trigger append_only;

grant select, insert on audit_entry to crossramp_app;
