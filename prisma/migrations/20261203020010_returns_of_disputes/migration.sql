-- Returns by MED that were held against an accepted dispute of their payment: each dispute has one.
create index rail_news_returns_of_disputes on rail_news (account_id, transaction_id) where kind = 'dispute_returned' and outcome = 'noted';
