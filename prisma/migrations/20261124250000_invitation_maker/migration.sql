-- Which keys stand behind the invitation of a person: they count as one maker for ever, also once the person was taken out.
create table invitation_maker (
  account_id bigint not null references account,
  person_id  text not null references person,
  key_id     text not null,
  primary key (account_id, person_id, key_id),
  foreign key (account_id, key_id) references api_key (account_id, id)
);
insert into invitation_maker (account_id, person_id, key_id)
  select account_id, person_id, invited_by_key from membership where invited_by_key is not null;

grant select, insert on invitation_maker to crossramp_app;
