/** Checks of a cell: the ids that it issues contain its code, and writes are impossible if they are forbidden. */
import { cellName, cellOfNumber } from '../../base/ids/cell.ts';
import { type CellServer, MoveError } from './cell-server.ts';

/** Finding about a cell. */
export interface CellCheck {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * @returns findings about the cell of a schema.
 * @throws {MoveError} when the schema has no tables.
 */
export async function checkCell(server: CellServer): Promise<readonly CellCheck[]> {
  const cell = await server.cell();
  if (!cell) throw new MoveError(`${server.name} is no cell: create one with crossramp cell create`);
  const { code, state, epoch } = cell;
  const name = cellName(code);
  const sequences: string[] = [];
  for (const sequence of await server.sequences()) {
    const next = await server.value<string>(`select last_value::text from ${sequence}`);
    if (cellOfNumber(BigInt(next ?? 0)) !== code) sequences.push(sequence);
  }
  const foreign = await server.rows<{ id: string }>('select id::text as id from account order by id');
  const strangers = foreign.filter(({ id }) => cellOfNumber(BigInt(id)) !== code).map(({ id }) => id);
  const fences = Number(
    await server.value(`select count(*) from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgname = 'cell_fence' and c.relnamespace = current_schema()::regnamespace`),
  );
  const isFenced = state === 'fenced' || state === 'moved';
  return [
    { check: 'cell', ok: true, detail: `${name}, ${state}, epoch ${epoch}` },
    {
      check: 'numbers',
      ok: sequences.length === 0,
      detail:
        sequences.length === 0
          ? `all are of cell ${name}`
          : `${sequences.join(', ')} give out numbers of another cell`,
    },
    {
      check: 'accounts',
      ok: strangers.length === 0,
      detail:
        strangers.length === 0
          ? `${foreign.length}, all of cell ${name}`
          : `of another cell: ${strangers.slice(0, 10).join(', ')}`,
    },
    {
      check: 'fence',
      ok: fences > 0 === isFenced,
      detail: fences > 0 ? `${fences} tables refuse writes` : 'writes are accepted',
    },
  ];
}
