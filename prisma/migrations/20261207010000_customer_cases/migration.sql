-- Cases of customers: how far a customer of an account is identified, once for all transactions of the account. Every change of a case
-- happens under the lock of its account. No image and no answer of a provider is stored, only the hash of the answer.
create table customer_case (
  account_id          bigint not null references account,
  -- CPF or CNPJ without punctuation.
  tax_id              text not null check (length(tax_id) between 1 and 20),
  -- The level that an approval leads to.
  level               text not null check (level in ('BASIC', 'VERIFIED')),
  id                  bigint generated always as identity unique,
  kind                text not null check (kind in ('PERSON', 'COMPANY')),
  -- Name as the transaction gave it that opened the case.
  name                text,
  state               text not null
    check (state in ('open', 'pending', 'approved', 'denied', 'retry', 'review', 'expired', 'frozen')),
  -- State to which unfreezing leads back.
  frozen_state        text check (frozen_state in ('open', 'pending', 'approved', 'denied', 'retry', 'review', 'expired')),
  -- The key or person that asked to unfreeze, and why; another one has to do it too.
  unfreeze_by         text,
  unfreeze_reason     text,
  valid_until         timestamptz(3),
  -- Times that the check was begun.
  attempts            int not null default 1,
  -- Kind of the rail that checks; null where people alone decide.
  provider            text,
  -- Id that the provider is given for this attempt: stored before it is sent.
  external_id         text not null unique,
  provider_reference  text,
  -- Last evidence; all of it is in `case_evidence`.
  decision            text,
  reasons             text[] not null default '{}',
  score               numeric,
  answer_hash         text,
  decided_at          timestamptz(3),
  decided_by          text,
  is_by_person        boolean not null default false,
  -- A denial after an approval that no person has looked at.
  is_late_denial      boolean not null default false,
  opened_at           timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  -- When the attempt began: given up from then.
  attempt_at          timestamptz(3) not null,
  -- Link of the payer to the provider's page, sealed; null where there is none, or the provider makes a new one each time.
  sealed_link         text,
  -- When the provider is asked next, on the clock of the database; null: not at all.
  ask_at              timestamptz(3),
  -- Requests about it in a row that brought no answer, the one under way among them, and the last failure.
  failures            int not null default 0,
  failure             text,
  primary key (account_id, tax_id, level),
  check ((state = 'frozen') = (frozen_state is not null))
);
create index customer_case_to_ask on customer_case (ask_at) where ask_at is not null;
-- What waits for a person.
create index customer_case_waiting on customer_case (opened_at, id)
  where state in ('review', 'frozen') or is_late_denial or (provider is null and state = 'open');
create index customer_case_by_id on customer_case (account_id, id);

-- Evidence of a case: what was asked, answered and decided, by whom and why. It is never changed.
create table case_evidence (
  case_id             bigint not null references customer_case (id),
  n                   int not null,
  at                  timestamptz(3) not null,
  -- opened, callback, answered, approved, denied, retried, frozen, unfreeze_asked, unfrozen, expired.
  event               text not null,
  state               text not null,
  attempt             int not null,
  provider            text,
  provider_reference  text,
  decision            text,
  reasons             text[] not null default '{}',
  score               numeric,
  answer_hash         text,
  -- A key or person; null for the provider and for a timer.
  actor               text,
  -- Reason that a person gave.
  reason              text,
  primary key (case_id, n)
);

grant select, insert, update on customer_case to crossramp_app;
grant select, insert on case_evidence to crossramp_app;

-- Limits may count a customer over all accounts (LIMITS_OVER).
-- long lock: of the first release, before which no database has customers.
create index volume_day_of_customer on volume_day (subject, day);
