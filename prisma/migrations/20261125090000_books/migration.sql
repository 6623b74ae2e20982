-- The books of a period and the close of a day (docs/ledger.md).

-- The seq of the last line of a ledger account before a moment; 0 or -1 where there is none.
-- Lines are in the order of time, so halves are enough.
create function ledger_seq_before(p_account bigint, p_ledger_account bigint, p_at timestamptz) returns bigint
language plpgsql stable parallel safe as $$
declare low bigint := -1; high bigint; mid bigint; t timestamptz;
begin
  select last_seq into high from ledger_balance where account_id = p_account and ledger_account_id = p_ledger_account;
  while low < high loop
    mid := (low + high + 1) / 2;
    select posted_at into t from ledger_line where account_id = p_account and ledger_account_id = p_ledger_account and seq = mid;
    -- A line 0 that is not there is before everything: only imported accounts have one.
    if not found or t < p_at then low := mid; else high := mid - 1; end if;
  end loop;
  return low;
end $$;

-- A day in Brasília whose books are closed: no journal comes into it any more, and what moved in it is kept with a hash.
create table book_close (
  mode          text not null,
  day           date not null,
  closed_at     timestamptz(3) not null,
  -- Who closed it, as the audit log names actors.
  closed_by     text not null,
  -- Of the close before it; null for the first.
  previous_hash bytea,
  -- SHA-256 of the previous hash and of what moved.
  hash          bytea not null,
  primary key (mode, day),
  check (mode in ('sandbox', 'live'))
);

-- What moved in a closed day, by ledger account; minor units, a credit balance above zero.
create table book_close_line (
  mode              text not null,
  day               date not null,
  account_id        bigint not null,
  ledger_account_id bigint not null,
  opening           numeric(78, 0) not null,
  debits            numeric(78, 0) not null,
  credits           numeric(78, 0) not null,
  closing           numeric(78, 0) not null,
  primary key (mode, day, account_id, ledger_account_id),
  foreign key (mode, day) references book_close,
  check (debits >= 0 and credits >= 0 and closing = opening - debits + credits)
);
create index book_close_line_by_account on book_close_line (account_id, day);

create trigger append_only before update or delete or truncate on book_close for each statement execute function deny_change();
create trigger append_only before update or delete or truncate on book_close_line for each statement execute function deny_change();
alter table book_close enable always trigger append_only;
alter table book_close_line enable always trigger append_only;

grant select, insert on book_close, book_close_line to crossramp_app;
