-- What each feed of rates said last of each asset: the processes that work on jobs poll, all processes judge.
create table rate_feed (
  mode        text not null,
  feed        text not null,
  asset       text not null,
  -- For one unit of the asset, in the currency that the feed counts in; null until there is one.
  price       numeric,
  -- On the clock of the mode's accounts.
  observed_at timestamptz(3),
  tried_at    timestamptz(3) not null,
  -- Tries that failed since the last that did not, and why the last one did.
  failures    int not null default 0,
  failure     text,
  primary key (mode, feed, asset),
  check (price > 0 and price <> 'NaN'),
  check ((price is null) = (observed_at is null))
);

grant select, insert, update on rate_feed to crossramp_app;
