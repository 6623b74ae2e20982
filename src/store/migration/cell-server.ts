/** One side of a move: the connection of the owner of a cell's schema, and the contents of that schema. */
import pg from 'pg';
import { StoreError } from '../connection/check-server.ts';
import { inSchema } from '../connection/session.ts';
import type { CellRecord } from './settle-cell.ts';

/** A cell that cannot be moved now; the message has the reason and the remedy. */
export class MoveError extends StoreError {}

/** Location of a cell. */
export interface CellLocation {
  /** URL of the database for the owner of the schema. */
  readonly url: string;
  readonly schema: string;
}

/** SQLSTATE of a lock that was not free in time, and of a deadlock. */
const HELD = /^(55P03|40P01)$/;
const CONNECT_MAX_MS = 10_000;

/** A server with the schema of a cell. */
export class CellServer {
  readonly location: CellLocation;
  readonly client: pg.Client;

  private constructor(location: CellLocation, client: pg.Client) {
    this.location = location;
    this.client = client;
  }

  /** Connects as the owner. @throws the driver's error. */
  static async connect(location: CellLocation): Promise<CellServer> {
    const client = new pg.Client({
      connectionString: location.url,
      application_name: 'crossramp cell',
      connectionTimeoutMillis: CONNECT_MAX_MS,
      keepAlive: true,
    });
    // A broken connection fails its statement. Without a listener, the error event would end the process.
    client.on('error', () => {});
    await client.connect();
    await client.query(inSchema(location.schema));
    return new CellServer(location, client);
  }

  close(): Promise<void> {
    return this.client.end().catch(() => {});
  }

  /** Host and database, without the login, for messages to people. */
  get name(): string {
    const { host, pathname } = new URL(this.location.url);
    return `${host}${pathname}/${this.location.schema}`;
  }

  /** @returns the rows of a statement. */
  async rows<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.client.query<Row>(text, [...values])).rows;
  }

  /** @returns the only value of the only row; undefined without a row. */
  async value<Value>(text: string, values: readonly unknown[] = []): Promise<Value | undefined> {
    const { rows } = await this.client.query({ text, values: [...values], rowMode: 'array' });
    return rows[0]?.[0];
  }

  /** Runs statements in one database transaction. */
  async within<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.client.query('begin');
    try {
      const result = await work();
      await this.client.query('commit');
      return result;
    } catch (error) {
      await this.client.query('rollback').catch(() => {});
      throw error;
    }
  }

  /** @returns the schema's record of its cell; undefined without tables. */
  async cell(): Promise<CellRecord | undefined> {
    const isThere = await this.value<boolean>(`select to_regclass('cell') is not null`);
    if (!isThere) return undefined;
    const [row] = await this.rows<{
      code: string;
      epoch: string;
      state: CellRecord['state'];
      other: string | null;
    }>('select code, epoch, state, other from cell');
    return row && { ...row, epoch: BigInt(row.epoch) };
  }

  /**
   * @returns the names of the tables that a move copies, quoted. A partitioned table represents its partitions. The
   * record of the cell, that of migrations, and a month of events that is being moved are left out: the events are
   * still in their old table.
   */
  tables(): Promise<string[]> {
    return this.names(`c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
      and c.relname not in ('cell', '_prisma_migrations', 'cell_move_trigger') and c.relname !~ '^event_[0-9]{6}$'`);
  }

  /** @returns the names of all writable tables, including partitions. */
  writableTables(): Promise<string[]> {
    return this.names(
      `c.relkind in ('r', 'p') and c.relname not in ('cell', '_prisma_migrations', 'cell_move_trigger')`,
    );
  }

  /** @returns the names of sequences. */
  sequences(): Promise<string[]> {
    return this.names(`c.relkind = 'S'`);
  }

  private async names(condition: string): Promise<string[]> {
    const rows = await this.rows<{ name: string }>(
      `select quote_ident(c.relname) as name from pg_class c
        where c.relnamespace = current_schema()::regnamespace and ${condition} order by c.relname`,
    );
    return rows.map(({ name }) => name);
  }
}

/** @returns whether a statement did not get a lock in time, and may be retried. */
export function isHeld(error: unknown): boolean {
  return HELD.test(String((error as { code?: unknown }).code ?? ''));
}
