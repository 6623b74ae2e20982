-- Scope of keys that read the figures of the house, and change nothing (docs/decisions/0095-over-cells.md).
-- long lock: keys are few, and a new list of scopes is compared with each.
-- contract: the new list has all scopes of the old one.
alter table api_key drop constraint api_key_scopes_check;
alter table api_key add constraint api_key_scopes_check check (scopes <@ array[
  'read', 'create', 'move', 'admin',
  'platform:pricing', 'platform:risk', 'platform:books', 'platform:rails', 'platform:figures']);
insert into migration_reach values ('20261208000000_figures_scope', '1.0.0');
