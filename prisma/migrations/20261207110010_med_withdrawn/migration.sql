-- Answers that are withdrawn, because the case was answered on the screens of the provider.
-- long lock: of the first release, before which no database has answers.
-- contract: one state more than before; an older program never writes it.
alter table med_answer drop constraint med_answer_state_check,
  add constraint med_answer_state_check check (state in ('pending', 'sent', 'refused', 'dropped', 'withdrawn'));
insert into migration_reach values ('20261207110010_med_withdrawn', '1.0.0');
