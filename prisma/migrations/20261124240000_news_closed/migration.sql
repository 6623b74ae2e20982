-- News that its transaction never took can be closed by hand: somebody looked at it, and says why nothing follows from it (C-34).
alter table rail_news add column close_reason text, add column closed_by text, add column closed_at timestamptz(3);
alter table rail_news drop constraint rail_news_outcome_check;
alter table rail_news add constraint rail_news_outcome_check
  check (outcome in ('pending', 'failed', 'step', 'suspense', 'noted', 'closed'));
alter table rail_news add constraint rail_news_closed_check
  check ((outcome = 'closed') = (close_reason is not null and closed_by is not null and closed_at is not null));
create index rail_news_closed on rail_news (id) where outcome = 'closed';
