-- How far the books of each account were verified while the gateway runs, and what was found. One row for an account that has a journal.
create table verify_place (
  account_id     bigint primary key references account,
  -- Every journal up to this one was checked soon after it was posted, or was there before and is left to the rounds.
  journal_id     bigint not null,
  -- By ledger account: position of the last line that was checked, and the balance after it.
  lines          jsonb not null,
  -- Found soon after the posting, and when.
  new_defects    jsonb not null default '[]',
  new_defects_at timestamptz(3),
  since          timestamptz(3) not null,
  -- When the last check of the whole account began, ended, and what it found.
  round_began_at timestamptz(3),
  round_ended_at timestamptz(3),
  round_defects  jsonb not null default '[]'
);
-- Of several processes one verifies at a time.
create table verify_turn (
  singleton    boolean primary key default true check (singleton),
  holder       text not null default '',
  leased_until timestamptz(3) not null default '-infinity',
  -- Whatever was posted before was checked; null before the first time.
  new_until    timestamptz(3),
  -- When the sums over all accounts were checked, and what was found.
  sums_at      timestamptz(3),
  sums_defects jsonb not null default '[]'
);
insert into verify_turn default values;
grant select, insert, update on verify_place to crossramp_app;
grant select, update on verify_turn to crossramp_app;
