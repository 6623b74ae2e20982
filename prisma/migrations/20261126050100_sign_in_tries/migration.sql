-- Tries to sign in, of each address and each person, over all processes. Each try moves the moment at which all of them are
-- forgotten; one that would move it too far is refused. Deleted once that moment has passed.
create table sign_in_try (
  subject      text primary key,
  forgotten_at timestamptz(3) not null
);
create index sign_in_try_by_end on sign_in_try (forgotten_at);

grant select, insert, update, delete on sign_in_try to crossramp_app;
