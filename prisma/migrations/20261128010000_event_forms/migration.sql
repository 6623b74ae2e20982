-- Bodies of events share most of their text: names of members, labels of the step. That part is stored once, and an event holds
-- its values (docs/decisions/0047-what-a-write-logs.md). Events that were stored whole stay as they are.

create table event_form (
  -- The first 8 bytes of the text's SHA-256, so that no process needs to know what others have stored.
  id   bigint primary key,
  -- A body with a line break in place of each value.
  text text not null
);
create trigger append_only before update or delete or truncate on event_form for each statement execute function deny_change();
alter table event_form enable always trigger append_only;
grant select, insert on event_form to crossramp_app;

-- Where there is a form, the payload is its values as JSON, one in each line.
alter table event add column form bigint;

-- The body of an event for whoever reads it by SQL; the gateway puts it together itself.
create function event_body(p_form bigint, p_payload text) returns text
language sql stable set search_path = public, pg_temp as $$
  select case when p_form is null then p_payload else (
    select string_agg(piece || coalesce(value, ''), '' order by n)
      from event_form f, unnest(string_to_array(f.text, e'\n'), string_to_array(p_payload, e'\n')) with ordinality u(piece, value, n)
     where f.id = p_form) end
$$;
