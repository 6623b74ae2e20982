-- Hits of a customer over all accounts, for the view of a case (docs/decisions/0105-cases-over-accounts.md).
-- long lock: of the first release, before which no database has hits.
create index screening_hit_by_tax_id on screening_hit (tax_id) where tax_id is not null;
insert into migration_reach values ('20261208030000_hits_by_tax_id', '1.0.0');
