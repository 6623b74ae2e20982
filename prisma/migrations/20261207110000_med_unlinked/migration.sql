-- Cases that were reported before their payment: they go to its account with it.
-- long lock: of the first release, before which no database has cases.
create index med_case_unlinked on med_case (mode, pix_e2e) where transaction_id is null;
insert into migration_reach values ('20261207110000_med_unlinked', '1.0.0');
