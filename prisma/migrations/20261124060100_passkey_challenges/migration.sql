-- Challenges that passkeys sign: each is answered once, within minutes, for what it was made for.
create table passkey_challenge (
  challenge  text primary key,
  -- REGISTER and CONFIRM: the session that asked; SIGN_IN: nobody is known yet.
  purpose    text not null check (purpose in ('SIGN_IN', 'REGISTER', 'CONFIRM')),
  session_id text references person_session,
  expires_at timestamptz(3) not null,
  check ((purpose = 'SIGN_IN') = (session_id is null))
);
create index passkey_challenge_by_end on passkey_challenge (expires_at);
create index passkey_challenge_by_session on passkey_challenge (session_id);

grant select, insert, delete on passkey_challenge to crossramp_app;
