/**
 * Comparison of the rows of one table on two servers, by slices of its primary key and by single keys. A slice is compared as the number of its
 * rows and the sum of their digests, so that neither a server nor this process holds more rows than one slice has.
 */
import { type CellServer, MoveError } from './cell-server.ts';

/** Both sides of a move. */
export interface Sides {
  readonly source: CellServer;
  readonly target: CellServer;
}

/** A primary key as text, one value for each column. */
export type RowKey = readonly string[];

/** A key at which the sides differ: the digest of the row on each side, null without a row. */
export interface Difference {
  readonly table: string;
  readonly key: RowKey;
  readonly source: string | null;
  readonly target: string | null;
}

/** A table as both servers can compare it. */
export interface ComparedTable {
  /** Quoted; `relation` is not. */
  readonly name: string;
  readonly relation: string;
  /** Columns of the primary key, in its order, as they are, quoted, and their types; empty without one. */
  readonly keyNames: readonly string[];
  readonly keys: readonly string[];
  readonly types: readonly string[];
  /** Names of the key's columns by which rows are sorted. */
  readonly order: readonly string[];
  /** SQL of the digest of row `t`. */
  readonly digest: string;
}

/** Rows of one slice. */
export const SLICE = 10_000;
/** Keys that one statement reads. */
const KEYS_MAX = 5_000;
/** Both servers write a value as the same text with these settings. */
const SESSION = `select set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO', false), set_config('intervalstyle', 'postgres', false),
  set_config('extra_float_digits', '1', false), set_config('bytea_output', 'hex', false)`;
/** Order of texts in a database. */
const COLLATION = `select concat_ws(' ', encoding, datlocprovider, datcollate, pg_database_collation_actual_version(oid))
  from pg_database where datname = current_database()`;

/** Prepares both sessions. @returns the tables of a cell. */
export async function comparedTables({ source, target }: Sides): Promise<ComparedTable[]> {
  for (const server of [source, target]) await server.rows(SESSION);
  const [one, other] = [await source.value<string>(COLLATION), await target.value<string>(COLLATION)];
  const names = await source.tables();
  const rows = await source.rows<{
    name: string;
    relation: string;
    columns: string[];
    keyNames: string[];
    keys: string[];
    types: string[];
    sorted: boolean[];
  }>(
    `select n.name, c.relname as relation,
        array(select quote_ident(attname) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped order by attname) as columns,
        coalesce(k.names, '{}') as "keyNames", coalesce(k.keys, '{}') as keys, coalesce(k.types, '{}') as types, coalesce(k.sorted, '{}') as sorted
       from unnest($1::text[]) with ordinality n(name, place) join pg_class c on c.oid = n.name::regclass
       left join lateral (
         select array_agg(a.attname::text order by o.place) as names, array_agg(quote_ident(a.attname) order by o.place) as keys, array_agg(format_type(a.atttypid, null) order by o.place) as types,
             array_agg(a.attcollation <> 0 order by o.place) as sorted
           from pg_index i cross join lateral unnest(i.indkey::int2[]) with ordinality o(attnum, place)
           join pg_attribute a on a.attrelid = i.indrelid and a.attnum = o.attnum
          where i.indrelid = c.oid and i.indisprimary) k on true
      order by n.place`,
    [names],
  );
  return rows.map(({ columns, sorted, ...table }) => ({
    ...table,
    // An index has the order of its own database. Where the two differ, each slice is sorted anew.
    order: table.keys.map((key, n) => (sorted[n] && one !== other ? `${key} collate "C"` : key)),
    digest: digestOf(columns.map((column) => `t.${column}`)),
  }));
}

/** Of 64 bits: a changed row keeps its digest with a probability of 10⁻¹⁹. Names order the columns: migrations may have added them in another order. */
function digestOf(columns: readonly string[]): string {
  return `('x' || encode(substring(sha256(convert_to(row(${columns.join(', ')})::text, 'UTF8')) for 8), 'hex'))::bit(64)::bigint`;
}

/**
 * Compares a table slice by slice.
 *
 * @param onSlice - called with the number of rows of each slice, and with the keys at which the sides differed when it was read; it
 *   may throw, which bounds the differences that are held.
 * @throws {MoveError} when one slice has far more rows in the target.
 */
export async function compareSlices(
  sides: Sides,
  table: ComparedTable,
  onSlice: (rows: number, differences: readonly Difference[]) => void,
): Promise<void> {
  let after: RowKey | null = null;
  do {
    const upTo: RowKey | null = await endOfSlice(sides.source, table, after);
    const { where, values } = range(table, after, upTo);
    const text = `select count(*)::int as rows, coalesce(sum(${table.digest}), 0)::text as sum from ${table.name} t where ${where}`;
    const [here, there] = await onBoth(sides, (server) =>
      server.rows<{ rows: number; sum: string }>(text, values),
    );
    const isEqual = here[0]?.rows === there[0]?.rows && here[0]?.sum === there[0]?.sum;
    const differences = isEqual ? [] : await differencesWithin(sides, table, { where, values });
    onSlice(here[0]?.rows ?? 0, differences);
    after = upTo;
  } while (after !== null);
}

/** Compares single rows. @returns those that differ. */
export async function compareKeys(
  sides: Sides,
  table: ComparedTable,
  keys: readonly RowKey[],
): Promise<Difference[]> {
  const found: Difference[] = [];
  const listed = table.keys.map((_, n) => `k${n}`);
  const text = `select k.n::int as n, (${table.digest})::text as digest
    from unnest(${table.types.map((type, n) => `$${n + 1}::${type}[]`).join(', ')}) with ordinality k(${[...listed, 'n'].join(', ')})
    join ${table.name} t on ${table.keys.map((key, n) => `t.${key} = k.${listed[n]}`).join(' and ')}`;
  for (let first = 0; first < keys.length; first += KEYS_MAX) {
    const part = keys.slice(first, first + KEYS_MAX);
    const values = table.keys.map((_, n) => part.map((key) => key[n]));
    const [here, there] = await onBoth(sides, async (server) => {
      const rows = await server.rows<{ n: number; digest: string }>(text, values);
      return new Map(rows.map(({ n, digest }) => [n, digest]));
    });
    for (const [n, key] of part.entries()) {
      const [one, other] = [here.get(n + 1) ?? null, there.get(n + 1) ?? null];
      if (one !== other) found.push({ table: table.name, key, source: one, target: other });
    }
  }
  return found;
}

/** Compares a table without a key, or one that is small, as a whole. @returns whether it differs. */
export async function isDifferent(sides: Sides, { name, digest }: ComparedTable): Promise<boolean> {
  const text = `select count(*) || ' ' || coalesce(sum(${digest}), 0) from ${name} t`;
  const [here, there] = await onBoth(sides, (server) => server.value<string>(text));
  return here !== there;
}

/** @returns the last key of the slice after a key; null when the slice is the last one. */
async function endOfSlice(
  source: CellServer,
  table: ComparedTable,
  after: RowKey | null,
): Promise<RowKey | null> {
  const { where, values } = range(table, after, null);
  const [row] = await source.rows<{ key: string[] }>(
    `select array[${textsOf(table)}] as key from ${table.name} t where ${where}
      order by ${table.order.join(', ')} offset ${SLICE - 1} limit 1`,
    values,
  );
  return row?.key ?? null;
}

async function differencesWithin(
  sides: Sides,
  table: ComparedTable,
  { where, values }: ReturnType<typeof range>,
): Promise<Difference[]> {
  const most = 2 * SLICE;
  const text = `select array[${textsOf(table)}] as key, (${table.digest})::text as digest from ${table.name} t where ${where} limit ${most}`;
  const [here, there] = await onBoth(sides, async (server) => {
    const rows = await server.rows<{ key: string[]; digest: string }>(text, values);
    if (rows.length === most)
      throw new MoveError(`the copy differs: ${table.name} has far more rows in the target`);
    return new Map(rows.map(({ key, digest }) => [JSON.stringify(key), digest]));
  });
  const keys = new Set([...here.keys(), ...there.keys()]);
  return [...keys].flatMap((key) => {
    const [one, other] = [here.get(key) ?? null, there.get(key) ?? null];
    return one === other ? [] : [{ table: table.name, key: JSON.parse(key), source: one, target: other }];
  });
}

/** SQL of the rows after a key up to another one; null: no bound. */
function range({ keys, types, order }: ComparedTable, after: RowKey | null, upTo: RowKey | null) {
  const bounds = [
    { sign: '>', key: after },
    { sign: '<=', key: upTo },
  ].filter(({ key }) => key !== null);
  const conditions = bounds.map(({ sign }, bound) => {
    const parameters = types.map((type, n) => `$${bound * keys.length + n + 1}::${type}`);
    return `(${order.join(', ')}) ${sign} (${parameters.join(', ')})`;
  });
  return { where: conditions.join(' and ') || 'true', values: bounds.flatMap(({ key }) => key ?? []) };
}

const textsOf = ({ keys }: ComparedTable) => keys.map((key) => `${key}::text`).join(', ');

/** The two servers work at the same time. */
function onBoth<Result>(
  { source, target }: Sides,
  work: (server: CellServer) => Promise<Result>,
): Promise<[Result, Result]> {
  return Promise.all([work(source), work(target)]);
}
