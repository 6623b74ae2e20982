-- Cells (docs/scaling.md): a schema is one cell of an installation, and knows its code. Whatever the cell issues carries it.

-- The cell that this schema is: one row.
create table cell (
  singleton boolean primary key default true check (singleton),
  -- Two characters; empty for the first cell, whose ids carry no code.
  code      text not null default '' check (code = '' or code ~ '^[0-9a-z]{2}$' and code <> '00'),
  -- Moves with each move of the cell to another server: of two copies the one with the higher epoch is right.
  epoch     bigint not null default 1 check (epoch > 0),
  -- `serving`: the cell works. `arriving`: it is being copied to here. `fenced`: nothing is written, because a move is at its switch.
  -- `moved`: it works elsewhere.
  state     text not null default 'serving' check (state in ('serving', 'arriving', 'fenced', 'moved')),
  -- Host and database of the other side of a move, without a login.
  other     text
);
insert into cell default values;
grant select on cell to crossramp_app;

-- Gives a new schema its code: numbers that it gives out begin behind `p_before`, so that they are unlike those of all other cells.
create function cell_begin(p_code text, p_before bigint) returns void language plpgsql as $$
declare
  v_name text;
begin
  perform from cell for update;
  if exists (select from account) then
    raise exception 'the schema has accounts, whose ids say another cell' using errcode = '55000';
  end if;
  update cell set code = p_code;
  for v_name in
    select c.oid::regclass::text from pg_class c
      where c.relkind = 'S' and c.relnamespace = current_schema()::regnamespace
  loop
    perform setval(v_name::regclass, p_before + (select seqstart from pg_sequence where seqrelid = v_name::regclass), false);
  end loop;
  -- Each account counts its own ledger accounts and lines, whose ids are published; lines of the house count down. Journals and the
  -- order of transactions are counted from 1 in every cell: whoever reads them counts by them.
  execute format('alter table account_head alter column ledger_account_id set default %1$s,
    alter column line_id set default %1$s, alter column house_line_id set default -%1$s', p_before);
end $$;
revoke execute on function cell_begin from public;

-- Refuses a write to a cell that is being moved away, or has been. A move puts it as a trigger on every table, under a lock that waits for
-- every writer, and so costs nothing while there is none (docs/decisions/0085-moving-a-cell.md).
create function cell_refuse_write() returns trigger language plpgsql as $$
begin
  raise exception 'the cell is moved to another server: % on % refused', tg_op, tg_table_name using errcode = '25006';
end $$;
