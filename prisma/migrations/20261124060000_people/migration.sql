-- People: who they are, in which accounts they have a role, and how they come in. Of secrets only hashes are stored.
create table person (
  id         text primary key,
  name       text not null,
  email      text not null unique check (email = lower(email)),
  created_at timestamptz(3) not null
);

create table membership (
  account_id     bigint not null references account,
  person_id      text not null references person,
  role           text not null,
  -- The key, the person or the user of the operating system that invited; the key once more, to tell makers apart.
  invited_by     text not null,
  invited_by_key text,
  invited_at     timestamptz(3) not null,
  -- Null while the invitation was not accepted.
  joined_at      timestamptz(3),
  primary key (account_id, person_id),
  foreign key (account_id, invited_by_key) references api_key (account_id, id)
);
create index membership_by_person on membership (person_id);

create table person_session (
  id          text primary key,
  person_id   text not null references person,
  -- The account that the person acts on.
  account_id  bigint not null references account,
  hash        bytea not null unique check (octet_length(hash) = 32),
  created_at  timestamptz(3) not null,
  seen_at     timestamptz(3) not null,
  -- When the person last proved to be there, by a passkey.
  verified_at timestamptz(3),
  revoked_at  timestamptz(3),
  user_agent  text,
  address     text
);
create index person_session_by_person on person_session (person_id);

create table passkey (
  id           text primary key,
  person_id    text not null references person,
  name         text not null,
  public_key   bytea not null,
  counter      bigint not null,
  transports   text[] not null,
  created_at   timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index passkey_by_person on passkey (person_id);

-- Links that are used once: an invitation to an account, or a sign-in that the operator made.
create table person_link (
  hash       bytea primary key check (octet_length(hash) = 32),
  person_id  text not null references person,
  account_id bigint not null references account,
  kind       text not null check (kind in ('INVITATION', 'SIGN_IN')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at    timestamptz(3)
);
create index person_link_by_person on person_link (person_id);

-- Who a person is at a provider of sign-ins (OpenID Connect).
create table person_identity (
  issuer     text not null,
  subject    text not null,
  person_id  text not null references person,
  created_at timestamptz(3) not null,
  primary key (issuer, subject)
);
create index person_identity_by_person on person_identity (person_id);

-- A person makes keys, too.
alter table api_key add column made_by_person text references person;

-- Not valid: what the log has was checked by the narrower rule before; new entries are checked by this one.
alter table audit_entry drop constraint audit_entry_actor_kind_check;
alter table audit_entry add constraint audit_entry_actor_kind_check
  check (actor_kind in ('KEY', 'PERSON', 'OPERATOR', 'PAYER', 'SYSTEM')) not valid;

grant select, insert, update on person, person_session, person_link to crossramp_app;
grant select, insert, update, delete on membership, passkey to crossramp_app;
grant select, insert, delete on person_identity to crossramp_app;
