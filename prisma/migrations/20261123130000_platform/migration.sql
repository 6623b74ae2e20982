-- The account of each mode that holds what belongs to nobody, and that the keys of the operator belong to.
alter table account add column is_platform boolean not null default false;
create unique index account_platform_key on account (mode) where is_platform;

-- Which key made a key: those that one key made, directly or through others, count as one maker. Null: made by the operator.
alter table api_key add column made_by text;
alter table api_key add foreign key (account_id, made_by) references api_key (account_id, id);
alter table api_key drop constraint api_key_scopes_check;
alter table api_key add constraint api_key_scopes_check check (scopes <@ array[
  'read', 'create', 'move', 'admin',
  'platform:pricing', 'platform:risk', 'platform:books', 'platform:rails']);
