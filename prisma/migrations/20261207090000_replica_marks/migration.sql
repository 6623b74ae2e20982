-- Marks by which a gateway knows that a standby follows the primary closely (docs/decisions/0088-reads-on-standbys.md): a random number, written
-- to a slot of the rows that are only ever updated in place, and looked for on the standby.
alter table readiness_probe add column mark bigint not null default 0;
insert into migration_reach values ('20261207090000_replica_marks', '1.0.0');
