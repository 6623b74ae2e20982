-- Who works on a case of the review queue, by the account whose people work on it: the platform's, or that of an account holder. A case
-- that was decided has left the queue, and its row means nothing any more.
create table review_assignment (
  account_id  bigint not null references account,
  -- Id of the case in the queue, such as `HOLD:100:CRX…`.
  case_id     text not null,
  -- Id of the key or person.
  assignee    text not null,
  assigned_at timestamptz(3) not null,
  primary key (account_id, case_id)
);
-- Notes about the subject of a case, such as a transaction; they stay when the case is decided, and are never changed.
create table review_note (
  account_id bigint not null references account,
  id         bigint generated always as identity,
  -- Subject of the case, such as `transaction:100:CRX…`.
  subject    text not null,
  -- Id of the key or person.
  author     text not null,
  body       text not null,
  written_at timestamptz(3) not null,
  primary key (account_id, id)
);
create index review_note_by_subject on review_note (account_id, subject, id);
create trigger append_only before update or delete or truncate on review_note for each statement execute function deny_change();
alter table review_note enable always trigger append_only;
grant select, insert, update, delete on review_assignment to crossramp_app;
grant select, insert on review_note to crossramp_app;
