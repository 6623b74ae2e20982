-- The age of a batch of requests counts from when it was written, on the clock of the database. Retention goes through batches in their
-- order, so those of one process whose clock was far ahead held up all others.
alter table request_batch alter column until set default now();
update request_batch set until = now() where until > now();
