-- One index of `job` less: its transaction stands in its primary key, which finds a job and the jobs of a transaction alike. A job
-- of no transaction has 0 there, which is the id of none.
lock table job in access exclusive mode;
update job set transaction_id = 0 where transaction_id is null;
alter table job alter column transaction_id set default 0, alter column transaction_id set not null;
alter table job drop constraint job_pkey, add primary key (account_id, transaction_id, id);
drop index job_by_transaction;

-- The random part of an event's id beside its number in the account: 60 bits. Those that are stored stay as they are.
alter table event alter column token set default left(replace(gen_random_uuid()::text, '-', ''), 16);
