-- Which key a rotated key takes the place of: both count as one maker.
alter table api_key add column replaces text;
alter table api_key add foreign key (account_id, replaces) references api_key (account_id, id);
