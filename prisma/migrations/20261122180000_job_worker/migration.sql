-- The worker of the process that made a job takes it first: two processes on one account then do not divide each
-- transaction between them. Null: made by a process without a worker, for whoever comes first.
alter table job add column worker integer;
