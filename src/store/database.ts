/**
 * The connection to PostgreSQL: one pool for prepared SQL and for Prisma. It works as the restricted role `crossramp_app`.
 */
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { CONNECT_MAX_MS, enterSession, watchedClients } from './connection.ts';
import { CopyRows } from './copy-rows.ts';
import { CommitUnknownError, isRefused, NoAnswerError } from './database-error.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { RowsQuery, send } from './rows-query.ts';
import { sharedConnections } from './shared-connections.ts';

/** Schema of the tables, unless `DATABASE_SCHEMA` names another one. */
export const DEFAULT_SCHEMA = 'public';
/** Time limit of a statement. Unit: ms. */
const STATEMENT_MAX_MS = 15_000;
/** What the server knows the connections by. */
const APPLICATION_NAME = 'crossramp';
/** Of so many connections and more, some are shared. */
const SHARED_FROM = 8;
const SHARED_CONNECTIONS = 2;

/** A prepared statement: sent once per connection, then executed by its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** A read of a few records by their keys, which takes a moment whatever there is: it may share a connection with others. */
  readonly isQuick?: true;
}

/** The database, as everything that reads or writes it gets it. */
export interface Database {
  /** Prisma over the same pool, for relations and administrative records. */
  readonly prisma: PrismaClient;
  /**
   * Runs a prepared statement. `int8` comes as bigint, `numeric` and times as text, `jsonb` as parsed JSON.
   *
   * @throws the driver's error; see `isDatabaseAway`.
   */
  readonly query: <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;
  /** The same with a time limit in milliseconds, which includes the wait for a connection. */
  readonly queryWithin: <Row>(
    limitMs: number,
    statement: Statement,
    values: readonly unknown[],
  ) => Promise<Row[]>;
  /**
   * Writes rows by COPY, within a time limit as above.
   *
   * @param text - `copy … from stdin`.
   * @param lines - of `CopiedLines`.
   */
  readonly copyWithin: (limitMs: number, text: string, lines: Buffer) => Promise<void>;
  /**
   * Runs the work in one database transaction.
   *
   * @throws {CommitUnknownError} when the answer to the COMMIT was lost; otherwise what the work throws, or the driver's error.
   */
  readonly withTx: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  readonly close: () => Promise<void>;
}

/** A database transaction. */
export type Tx = Pick<Database, 'query'>;

/** Options of a database. */
export interface DatabaseOptions {
  /** Maximum number of connections, default 10; of eight and more, two are shared by quick reads. */
  readonly connections?: number;
  /** No time limit for statements, for audits of millions of lines and large imports. Default no. */
  readonly patient?: boolean;
  /** Schema of the tables, default `public`. */
  readonly schema?: string;
}

/**
 * @param url - of the database, or a function that returns it for each new connection.
 * @returns the database. Connections are opened when they are needed; dead ones are noticed (connection.ts).
 */
export function openDatabase(url: string | (() => string), options: DatabaseOptions = {}): Database {
  const schema = options.schema ?? DEFAULT_SCHEMA;
  const connections = options.connections ?? 10;
  const sharedCount = connections >= SHARED_FROM ? SHARED_CONNECTIONS : 0;
  const Client = watchedClients({
    url: typeof url === 'string' ? () => url : url,
    schema,
    statementMaxMs: options.patient ? 0 : STATEMENT_MAX_MS,
  });
  const shared = sharedConnections(
    () => new Client({ application_name: APPLICATION_NAME, pipeline: true }),
    sharedCount,
  );
  const pool = new pg.Pool({
    Client: Client as new () => pg.Client,
    application_name: APPLICATION_NAME,
    max: connections - sharedCount,
    connectionTimeoutMillis: CONNECT_MAX_MS,
    onConnect: enterSession,
  });
  // The pool replaces a broken connection.
  pool.on('error', () => {});
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema }), errorFormat: 'minimal' });
  return {
    prisma,
    query: (statement, values) =>
      statement.isQuick && sharedCount > 0
        ? shared.query(new RowsQuery(statement, values, parserOf))
        : run(pool, statement, values),
    queryWithin: <Row>(limitMs: number, statement: Statement, values: readonly unknown[]) =>
      within(pool, limitMs, (client) => run<Row>(client, statement, values)),
    copyWithin: async (limitMs, text, lines) => {
      await within(pool, limitMs, (client) => send(client, new CopyRows(text, lines)));
    },
    withTx: (work) => transact(pool, work),
    close: async () => {
      await prisma.$disconnect();
      await Promise.all([pool.end(), shared.close()]);
    },
  };
}

const { INT8, JSONB, BOOL, INT2, INT4, BYTEA } = pg.types.builtins;
const TEXT_ARRAY = 1009;

/** @returns how values of a type are made; undefined where they stay text. */
function parserOf(type: number): ((text: string) => unknown) | undefined {
  switch (type) {
    case INT8:
      return BigInt;
    case JSONB:
      return JSON.parse;
    case BOOL:
    case INT2:
    case INT4:
    case BYTEA:
    case TEXT_ARRAY:
      return pg.types.getTypeParser(type as number);
    default:
      return undefined;
  }
}

const PLAIN_TYPES = {
  getTypeParser: (type: number) => parserOf(type) ?? ((text: string) => text),
} as pg.CustomTypesConfig;

function run<Row>(
  client: pg.Pool | pg.PoolClient,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  if (name === '') return runUnnamed(client, text, values);
  return send(client, new RowsQuery({ name, text }, values, parserOf));
}

/** A text that is not the same each time is not prepared. */
async function runUnnamed<Row>(
  client: pg.Pool | pg.PoolClient,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const query = { text, values: values as unknown[], types: PLAIN_TYPES };
  return (await client.query<Row & pg.QueryResultRow>(query)).rows;
}

async function within<Result>(
  pool: pg.Pool,
  limitMs: number,
  ask: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const connecting = pool.connect();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(`no answer within ${limitMs} ms`)), limitMs);
  });
  let client: pg.PoolClient | undefined;
  let failure: Error | undefined;
  try {
    client = await Promise.race([connecting, limit]);
    return await Promise.race([ask(client), limit]);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    clearTimeout(timer);
    // A connection that did not answer in time is closed and not reused.
    if (client) client.release(failure);
    else connecting.then((late) => late.release()).catch(() => {});
  }
}

async function transact<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work({ query: (statement, values) => run(client, statement, values) });
    await commit(client);
    return result;
  } catch (error) {
    await client.query('rollback').catch((reason: Error) => {
      broken = reason;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('commit').catch((error: unknown) => {
    throw isRefused(error) ? error : new CommitUnknownError('the commit was not answered', { cause: error });
  });
  if (command !== 'COMMIT') throw new Error('a statement failed before the commit, and nothing was kept');
}
