/**
 * Sends a statement and builds its rows; rows of a prepared statement are built directly from their bytes
 * (row-connection.ts, decision 0066).
 */
import { isAscii } from 'node:buffer';
import pg from 'pg';
import { traceStatement } from '../../base/trace/spans.ts';
import type { Statement } from './database.ts';
import type { RowConnection, RowReceiver } from './row-connection.ts';
import { PLAIN_TYPES, parserOf, rowBuilder } from './row-values.ts';

/** A column of an answer, as the server names it. */
interface Column {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Makes a row of the bytes of a DataRow message. */
type RowReader = (bytes: Buffer, start: number, end: number) => object;

/** Members of the driver's query that its types lack. */
interface DriverQuery {
  name: string;
  callback?: (error: Error | null, result?: { rows: unknown[]; rowCount: number }) => void;
  prepare(connection: RowConnection): void;
  handleCommandComplete(message: object): void;
}

const NOT_ASCII = /[\x80-\xff]/;
const DriverQuery = pg.Query as unknown as new (text: string, values: readonly unknown[]) => DriverQuery;
/** Readers of each connection, by the name of the statement. */
const readers = new WeakMap<RowConnection, Map<string, RowReader>>();

/** A prepared statement that builds its rows by a reader, which is made once per connection and statement. */
export class RowsQuery extends DriverQuery implements RowReceiver {
  readonly #rows: object[] = [];
  #known: Map<string, RowReader> | undefined;
  #read: RowReader | undefined;
  #failure: Error | undefined;

  constructor({ name, text }: Statement, values: readonly unknown[]) {
    // The driver copies a configuration, property by property.
    super(text, values);
    this.name = name;
  }

  get knowsColumns(): boolean {
    return this.#read !== undefined;
  }

  override prepare(connection: RowConnection): void {
    this.#known = readers.get(connection);
    if (!this.#known) {
      this.#known = new Map();
      readers.set(connection, this.#known);
    }
    this.#read = this.#known.get(this.name);
    connection.expectRows(this);
    super.prepare(connection);
  }

  handleRowDescription({ fields }: { readonly fields: readonly Column[] }): void {
    this.#read = rowReader(fields);
    this.#known?.set(this.name, this.#read);
  }

  /** The driver would parse the number of rows, which is known. */
  override handleCommandComplete(): void {}

  receiveRow(bytes: Buffer, start: number, end: number): void {
    if (this.#failure) return;
    try {
      this.#rows.push((this.#read as RowReader)(bytes, start, end));
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  handleReadyForQuery(): void {
    if (this.#failure) this.callback?.(this.#failure);
    else this.callback?.(null, { rows: this.#rows, rowCount: this.#rows.length });
  }
}

/** Sends a statement. @throws the driver's error. */
export function send<Row>(client: pg.Pool | pg.ClientBase, statement: object): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const answer = (error: Error | null, result: { readonly rows: Row[] }) =>
      error ? reject(error) : resolve(result.rows);
    client.query(statement as never, answer as never);
  });
}

/** Runs a statement. @throws the driver's error. */
export function run<Row>(
  client: pg.Pool | pg.PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const answer: Promise<Row[]> =
    statement.name === ''
      ? runUnnamed(client, statement.text, values)
      : send(client, new RowsQuery(statement, values));
  return traceStatement(statement.name, answer);
}

/** A text that varies is not prepared. */
async function runUnnamed<Row>(
  client: pg.Pool | pg.PoolClient,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const query = { text, values: values as unknown[], types: PLAIN_TYPES };
  return (await client.query<Row & pg.QueryResultRow>(query)).rows;
}

/**
 * @param columns - columns of the answer, in order.
 * @returns the builder of its rows.
 */
function rowReader(columns: readonly Column[]): RowReader {
  const count = columns.length;
  const texts: (string | null)[] = new Array(count).fill(null);
  const starts = new Int32Array(count);
  const lengths = new Int32Array(count);
  const build = rowBuilder<string | null>(
    columns.map(({ name }) => name),
    columns.map(({ dataTypeID }) => parserOf(dataTypeID)),
  );
  return (bytes, start, end) => {
    let at = start + 2;
    const first = at;
    for (let i = 0; i < count; i++) {
      const length = bytes.readInt32BE(at);
      // Without the lengths the row is all text, so one test shows whether all of it is ASCII.
      bytes[at] = bytes[at + 1] = bytes[at + 2] = bytes[at + 3] = 0;
      at += 4;
      starts[i] = at - first;
      lengths[i] = length;
      if (length > 0) at += length;
    }
    const isPlain = isAscii(bytes.subarray(first, end));
    const text = bytes.toString('latin1', first, end);
    for (let i = 0; i < count; i++) {
      const from = starts[i] as number;
      const length = lengths[i] as number;
      const part = length < 0 ? null : text.substring(from, from + length);
      texts[i] =
        isPlain || part === null || !NOT_ASCII.test(part)
          ? part
          : bytes.toString('utf8', first + from, first + from + length);
    }
    return build(texts);
  };
}
