-- Which worker has leased a job: one whose answer to a claim was lost gives back what it does not know of. It may be run again.
alter table job add column if not exists leased_by text;
