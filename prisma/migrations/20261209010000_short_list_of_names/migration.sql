-- New words of names wait in a list of the index, which each search reads whole. 256 kB are read in half a millisecond; the default of
-- 4 MB took 4 to 5, and candidates for suspense search 200 names. Shorter lists cost each insert more.
alter index transaction_by_name_word set (gin_pending_list_limit = 256);
insert into migration_reach values ('20261209010000_short_list_of_names', '1.0.0');
