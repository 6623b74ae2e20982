-- Operation: the audit log, the request log, and single rows by which processes know each other and the database.

-- The audit log: one entry for each action that is not a read, in a chain of hashes for each account. Length and last hash of the chain
-- stand in account_head, which the writer has locked. No key to `account`, as `transaction` has none.
create table audit_entry (
  account_id  bigint not null,
  seq         bigint not null check (seq > 0),
  at          timestamptz(3) not null,
  actor_kind  text not null check (actor_kind in ('KEY', 'PERSON', 'OPERATOR', 'PAYER', 'SYSTEM')),
  actor_id    text not null,
  scope       text not null,
  act         text not null,
  object_kind text not null,
  object_id   text not null,
  -- json and not jsonb: the hash is that of the text.
  before      json,
  after       json,
  -- Of an approval: the maker of what is approved.
  maker       text,
  request_id  text,
  address     text,
  hash        bytea not null check (octet_length(hash) = 32),
  -- Time on the machine's clock, where that of the account (the sandbox's) is more than a minute away from it.
  machine_at  timestamptz(3),
  primary key (account_id, seq)
);
create index audit_entry_by_object on audit_entry (account_id, object_id, seq);
create index audit_entry_by_act on audit_entry (account_id, act, seq);
create index audit_entry_by_actor on audit_entry (account_id, actor_id, seq);
-- Entries come in the order of time: a few pages tell where a day is.
create index audit_entry_by_time on audit_entry using brin (at);
create trigger append_only before update or delete or truncate on audit_entry for each statement execute function deny_change();
alter table audit_entry enable always trigger append_only;

-- The request log in batches: one row for the requests of an account in about half a second, up to 1,000. A row with six indexes for each
-- request cost more than to answer it (docs/decisions/0051-the-request-log-in-batches.md).
create table request_batch (
  id         bigint generated always as identity primary key,
  account_id bigint not null,
  -- When it was written, on the clock of the database: retention goes through batches in their order, so those of a process whose clock is
  -- far ahead would hold up all others.
  until      timestamptz(3) not null default now(),
  requests   int not null check (requests between 1 and 1024),
  -- Terms that the batch is found by: '' for all; texts such as 'actor key_1'.
  terms      json not null,
  -- A list for each request: when its answer had ended, in ms; kind and id of the actor; method; route; operation; status; duration in ms;
  -- id; transaction; code of the error. Actor and transaction are the position of a term of the batch, from 0; older entries have the text.
  -- Stored uncompressed: compressing would cost more than all the rest of a batch.
  entries    json storage external not null
);

-- Terms of batches, one row for each that many requests of a batch have in common.
create table request_term (
  account_id bigint not null,
  term       text not null,
  batch_id   bigint not null,
  primary key (account_id, term, batch_id)
);

-- Adds the terms of new batches.
create function request_terms_come() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  insert into request_term (account_id, term, batch_id) select account_id, json_array_elements_text(terms), id from changed;
  return null;
end $$;

-- Removes the terms of deleted batches, each by its key: nothing is known of how many there are.
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

-- The request log with a row for each request.
create view request_log as
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

-- Rows that `/readyz` writes, to know that the database takes writes. They are there from the start and are only ever updated in place, so
-- the table does not grow; several, so that processes do not wait for each other.
create table readiness_probe (
  slot      int primary key,
  probed_at timestamptz(3) not null
) with (fillfactor = 50);
insert into readiness_probe (slot, probed_at) select n, now() from generate_series(0, 15) n;

-- Time by which retention evaluates ages (docs/decisions/0055-whose-clock-decides.md): it follows the clock, by one day at a time at most.
-- A clock that jumps ahead deletes a day's records, and the log says so.
create table retention_time (
  singleton boolean primary key default true check (singleton),
  as_of     timestamptz(3) not null default now()
);
insert into retention_time default values;

-- Ids of the keys that stored secrets are sealed with: a gateway with another key file ends at its start.
create table secret_key (
  id         text primary key,
  created_at timestamptz(3) not null default now()
);
