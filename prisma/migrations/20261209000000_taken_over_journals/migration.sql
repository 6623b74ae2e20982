-- A journal by hand whose proposer lost their access gets another proposer: the next person who approves it.
grant update (maker, made_at) on manual_journal to crossramp_app;
insert into migration_reach values ('20261209000000_taken_over_journals', '1.0.0');
