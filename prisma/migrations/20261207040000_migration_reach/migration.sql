-- Which older programs work with a migration: each migration that only adds inserts its own row, so that programs of the version before can
-- be started on the database while others are upgraded, and after going back (docs/versions.md). Without a row a migration is for
-- newer programs only.
create table migration_reach (
  -- Name of its folder.
  migration  text primary key,
  -- The oldest version of the program that works with it, such as 1.0.0.
  works_from text not null check (works_from ~ '^\d+\.\d+\.\d+$')
);
grant select on migration_reach to crossramp_app;
