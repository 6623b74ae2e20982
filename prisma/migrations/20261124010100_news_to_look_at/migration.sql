-- The operator's list of news: what is not settled, and reports of fraud, for which there is no step.
drop index rail_news_waiting;
create index rail_news_to_look_at on rail_news (id) where outcome in ('pending', 'failed') or kind = 'infraction';
