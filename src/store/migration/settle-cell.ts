/** The cell of a schema (docs/scaling.md): read when the database is opened, and assigned to a new schema. */
import pg from 'pg';
import { FIRST_CELL, numbersBefore } from '../../base/ids/cell.ts';
import { StoreError } from '../connection/check-server.ts';
import type { Database, Statement } from '../connection/database.ts';
import { isSchemaClosed } from '../connection/database-error.ts';
import { inSchema } from '../connection/session.ts';

/** Stage of a cell's life on a server. */
export type CellState = 'serving' | 'arriving' | 'fenced' | 'moved';

/** Record of a schema about its cell. */
export interface CellRecord {
  /** Code; empty for the first cell. */
  readonly code: string;
  readonly epoch: bigint;
  readonly state: CellState;
  /** Host and database of the other side of a move; null before the first. */
  readonly other: string | null;
}

/** The cell does not work in this schema: it works on another server, or its move here is unfinished. */
export class CellAbsentError extends StoreError {
  /** SQLSTATE of a server that accepts no connections yet, so that a start waits for an arriving cell. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

const ANSWER_MAX_MS = 10_000;
const READ: Statement = { name: 'cell_read', text: 'select code, epoch, state, other from cell' };

/** @returns the schema's record of its cell. */
export async function readCell(database: Pick<Database, 'query'>): Promise<CellRecord> {
  const [row] = await database.query<CellRecord>(READ, []);
  return row as CellRecord;
}

/**
 * Compares the cell of the settings with that of the schema. A schema without accounts becomes the requested cell.
 * @param ownerUrl - URL of the database for its owner.
 * @param wanted - requested code; undefined accepts the schema's own.
 * @returns the code.
 * @throws {StoreError} when the schema is another cell. @throws {CellAbsentError} when the cell does not work here.
 */
export async function settleCell(
  database: Pick<Database, 'query' | 'source'>,
  ownerUrl: string,
  wanted: string | undefined,
): Promise<string> {
  const { code, state, other } = await readOrRequest(database, ownerUrl);
  if (state === 'moved') throw new CellAbsentError(`the cell was moved to ${other}: use that database`);
  if (state === 'arriving')
    throw new CellAbsentError(`the cell is being moved here, and is still served at ${other}`, '57P03');
  if (wanted === undefined || wanted === code) return code;
  if (code !== FIRST_CELL) throw new StoreError(`CELL: the schema is cell ${code}, not ${wanted}`);
  await beginCell(ownerUrl, database.source.schema, wanted);
  return wanted;
}

/** @returns the schema's record; the owner reads it if the gateway may not any more, because the cell was moved. */
async function readOrRequest(
  database: Pick<Database, 'query' | 'source'>,
  ownerUrl: string,
): Promise<CellRecord> {
  try {
    return await readCell(database);
  } catch (error) {
    if (!isSchemaClosed(error)) throw error;
    return asOwner(ownerUrl, database.source.schema, async (client) => {
      const { rows } = await client.query<CellRecord>('select code, epoch, state, other from cell');
      return rows[0] as CellRecord;
    }).catch(() => {
      throw new CellAbsentError(
        'the gateway may not read the schema: the cell was moved to another database',
      );
    });
  }
}

/** Assigns a code to a schema. @throws {StoreError} if the schema has accounts. */
async function beginCell(ownerUrl: string, schema: string, code: string): Promise<void> {
  try {
    await asOwner(ownerUrl, schema, (client) =>
      client.query('select cell_begin($1, $2)', [code, String(numbersBefore(code))]),
    );
  } catch (error) {
    const { message } = error as Error;
    throw new StoreError(`CELL: the schema cannot become cell ${code}: ${message}`, { cause: error });
  }
}

async function asOwner<Result>(
  ownerUrl: string,
  schema: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    application_name: 'crossramp migrate',
    connectionTimeoutMillis: ANSWER_MAX_MS,
    query_timeout: ANSWER_MAX_MS,
  });
  // A broken connection fails its statement. Without a listener, the error event would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(inSchema(schema));
    return await work(client);
  } finally {
    await client.end();
  }
}
