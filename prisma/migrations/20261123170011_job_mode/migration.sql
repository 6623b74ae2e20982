-- Jobs of live accounts are due by another clock than those of the sandbox. An index for each clock: however far the clock of
-- the sandbox is ahead, no claim looks at timers of live accounts that are not due.
alter table job add column if not exists is_live boolean not null default false;
update job j set is_live = true from account a where a.id = j.account_id and a.mode = 'live' and not j.is_live;
create index if not exists job_by_clock on job (is_live, due_at, id);
drop index if exists job_by_due_time;
