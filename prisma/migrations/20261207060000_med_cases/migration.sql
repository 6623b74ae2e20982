-- Cases of the special return mechanism of PIX (MED): a dispute or a report of fraud about a payment, from its opening to the decision of
-- the provider (docs/decisions/0086-med-cases.md). Every change happens under the lock of the account.
create table med_case (
  id             bigint generated always as identity primary key,
  mode           text not null check (mode in ('sandbox', 'live')),
  -- Account of the payment; the platform's where no account has it.
  account_id     bigint not null references account,
  transaction_id bigint,
  kind           text not null check (kind in ('dispute', 'infraction')),
  -- Identifier at the provider.
  reference      text not null,
  -- EndToEndId of the payment.
  pix_e2e        text not null,
  -- BRL that it is about; null: all that is left of the payment.
  amount         numeric check (amount > 0),
  -- Reason that the payer's bank gave.
  reason         text,
  state          text not null check (state in ('open', 'answered', 'accepted', 'rejected', 'cancelled')),
  opened_at      timestamptz(3) not null,
  -- End of the time to answer.
  due_at         timestamptz(3) not null,
  -- When the next alarm is due, on the clock of the mode; null: none is.
  alarm_at       timestamptz(3),
  closed_at      timestamptz(3),
  -- Key or person that recorded the decision; null: the provider reported it.
  closed_by      text,
  updated_at     timestamptz(3) not null,
  unique (mode, kind, reference)
);
create index med_case_by_transaction on med_case (account_id, transaction_id);
-- Cases that wait for an answer.
create index med_case_open on med_case (mode, due_at, id) where state = 'open';
create index med_case_alarm on med_case (mode, alarm_at) where alarm_at is not null;

-- History of a case: everything that happened, when and by whom. An entry is never changed.
create table med_event (
  case_id bigint not null references med_case,
  n       int not null,
  at      timestamptz(3) not null,
  -- opened, due_48h, due_24h, due_6h, attached, evidence_made, answered, answer_sent, answer_refused, answer_dropped, answered_elsewhere, accepted, rejected, cancelled.
  event   text not null,
  -- Key or person; null for the provider and for a timer.
  actor   text,
  detail  text,
  primary key (case_id, n)
);
create trigger append_only before update or delete or truncate on med_event for each statement execute function deny_change();
alter table med_event enable always trigger append_only;

-- Files of a case: attachments, and evidence packs that the gateway made. A file is never changed.
create table med_file (
  id       bigint generated always as identity primary key,
  case_id  bigint not null references med_case,
  kind     text not null check (kind in ('attachment', 'evidence')),
  name     text not null,
  type     text not null check (type in ('application/pdf', 'image/png', 'image/jpeg', 'image/webp', 'text/html')),
  content  bytea not null,
  -- SHA-256 of the content.
  hash     bytea not null check (hash = sha256(content)),
  author   text not null,
  added_at timestamptz(3) not null
);
create index med_file_by_case on med_file (case_id, id);
create trigger append_only before update or delete or truncate on med_file for each statement execute function deny_change();
alter table med_file enable always trigger append_only;

-- Answers to a case. The id is stored before the answer is sent: the provider takes an answer once under it.
create table med_answer (
  -- UUID.
  id       text primary key,
  case_id  bigint not null references med_case,
  analysis text not null check (analysis in ('contest', 'agree')),
  body     text not null,
  -- Files that are sent with it.
  file_ids text[] not null,
  author   text not null,
  given_at timestamptz(3) not null,
  -- `dropped`: the case was decided before the answer could be sent.
  state    text not null check (state in ('pending', 'sent', 'refused', 'dropped')),
  -- When it is sent next, on the clock of the database; null where it has ended.
  send_at  timestamptz(3),
  -- Attempts that did not end it, the one under way among them, and the last failure.
  failures int not null default 0,
  failure  text,
  ended_at timestamptz(3),
  check ((state = 'pending') = (send_at is not null))
);
-- A case has one answer that is under way or was taken.
create unique index med_answer_one on med_answer (case_id) where state in ('pending', 'sent');
create index med_answer_to_send on med_answer (send_at) where send_at is not null;

grant select, insert, update on med_case, med_answer to crossramp_app;
grant select, insert on med_event, med_file to crossramp_app;

insert into migration_reach (migration, works_from) values ('20261207060000_med_cases', '0.1.0');
