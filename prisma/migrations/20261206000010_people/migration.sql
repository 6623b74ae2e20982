-- People: their accounts with roles, and their ways in.

-- A person, known by an e-mail address.
create table person (
  id         text primary key,
  name       text not null,
  email      text not null unique check (email = lower(email)),
  created_at timestamptz(3) not null
);

-- A person makes keys, too.
alter table api_key add foreign key (made_by_person) references person;

-- The role of a person in an account.
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

-- Keys and people behind the invitation of a person: inviter and invited count as one maker, through any chain and also after the person
-- was removed, until another owner confirms the person (C-40).
create table invitation_maker (
  account_id   bigint not null references account,
  person_id    text not null references person,
  maker_id     text not null,
  confirmed_by text,
  confirmed_at timestamptz(3),
  primary key (account_id, person_id, maker_id),
  check ((confirmed_by is null) = (confirmed_at is null))
);

-- A session of a person in a browser.
create table person_session (
  id          text primary key,
  person_id   text not null references person,
  -- The account that the person acts on.
  account_id  bigint not null references account,
  hash        bytea not null unique check (octet_length(hash) = 32),
  created_at  timestamptz(3) not null,
  seen_at     timestamptz(3) not null,
  -- Last time at which the person proved to be there, by a passkey.
  verified_at timestamptz(3),
  revoked_at  timestamptz(3),
  user_agent  text,
  address     text
);
create index person_session_by_person on person_session (person_id);

-- A passkey of a person.
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

-- Challenges that passkeys sign: each is answered once, within minutes, for the purpose that it was made for.
create table passkey_challenge (
  challenge  text primary key,
  -- REGISTER and CONFIRM: the session that asked; SIGN_IN: no person is known yet.
  purpose    text not null check (purpose in ('SIGN_IN', 'REGISTER', 'CONFIRM')),
  session_id text references person_session,
  expires_at timestamptz(3) not null,
  check ((purpose = 'SIGN_IN') = (session_id is null))
);
create index passkey_challenge_by_end on passkey_challenge (expires_at);
create index passkey_challenge_by_session on passkey_challenge (session_id);

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

-- Identity of a person at a provider of sign-ins (OpenID Connect).
create table person_identity (
  issuer     text not null,
  subject    text not null,
  person_id  text not null references person,
  created_at timestamptz(3) not null,
  primary key (issuer, subject)
);
create index person_identity_by_person on person_identity (person_id);

-- Attempts to sign in, of each address and each person, over all processes. Each attempt moves the time at which all of them are
-- forgotten; one that would move it too far is refused. Rows are deleted once that time has passed.
create table sign_in_try (
  subject      text primary key,
  forgotten_at timestamptz(3) not null
);
create index sign_in_try_by_end on sign_in_try (forgotten_at);

-- Addresses of screens that a person saved under a name, in each account separately. They go with the membership.
create table saved_view (
  account_id bigint not null,
  person_id  text not null,
  name       text not null check (char_length(name) between 1 and 60),
  path       text not null check (char_length(path) between 1 and 2000),
  created_at timestamptz(3) not null,
  primary key (account_id, person_id, name),
  foreign key (account_id, person_id) references membership on delete cascade
);
