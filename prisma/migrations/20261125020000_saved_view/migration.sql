-- Addresses of screens that a person keeps under a name, in each account apart. They go with the membership.
create table saved_view (
  account_id bigint not null,
  person_id  text not null,
  name       text not null check (char_length(name) between 1 and 60),
  path       text not null check (char_length(path) between 1 and 2000),
  created_at timestamptz(3) not null,
  primary key (account_id, person_id, name),
  foreign key (account_id, person_id) references membership on delete cascade
);
grant select, insert, update, delete on saved_view to crossramp_app;
