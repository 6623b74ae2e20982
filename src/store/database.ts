/**
 * The connection to PostgreSQL: one pool for prepared SQL and for Prisma, working as the restricted role
 * `crossramp_app`.
 */
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/prisma/client.ts';

/** The role that may read and post, but not change history (migration `roles`). */
const APPLICATION_ROLE = 'crossramp_app';
/** The schema that holds the tables unless the settings name another one. */
export const DEFAULT_SCHEMA = 'public';
/** A request that takes longer is given up; so is a transaction that nobody goes on with. */
const STATEMENT_MAX_MS = 15_000;

/** A statement that is sent once per connection and then called by its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A handle on the database, passed down to everything that reads or writes it. */
export interface Database {
  /** Prisma's model API over the same pool: relations and administrative records. */
  readonly prisma: PrismaClient;
  /**
   * Runs a prepared statement. `int8` comes as bigint, `numeric` and instants as text, `jsonb` as parsed JSON.
   *
   * @throws the driver's error; `isDatabaseAway` tells whether the database could not be reached.
   */
  readonly query: <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;
  /** Runs the work in one transaction: all of it is kept, or none. */
  readonly withTx: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  readonly close: () => Promise<void>;
}

/** What can be done inside a transaction. */
export type Tx = Pick<Database, 'query'>;

/** How a database is used. */
export interface DatabaseOptions {
  /** Most connections to keep, default 10. */
  readonly connections?: number;
  /** Wait for statements as long as they take: an audit of millions of lines, a large import. Default no. */
  readonly patient?: boolean;
  /** Schema that holds the tables, default `public`. */
  readonly schema?: string;
}

/**
 * @param url - of the database.
 * @returns the handle; connections are made when they are needed.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const schema = options.schema ?? DEFAULT_SCHEMA;
  const pool = new pg.Pool({
    connectionString: withSessionOptions(url, schema, options.patient ? 0 : STATEMENT_MAX_MS),
    application_name: 'crossramp',
    max: options.connections ?? 10,
    connectionTimeoutMillis: 2_000,
    keepAlive: true,
  });
  // A connection that breaks is replaced by the pool, and whoever uses it hears of it from the next statement; without a
  // listener, on the idle ones and on those in use, it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema }) });
  return {
    prisma,
    query: (statement, values) => run(pool, statement, values),
    withTx: (work) => transact(pool, work),
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** @returns whether the error says that the database could not be reached, is shutting down, or is too busy to answer. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (
    typeof code === 'string' &&
    /^(08|28|3D000|40001|40P01|53|55000|55P03|57014|57P0|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|P1001|P1017)/.test(
      code,
    )
  )
    return true;
  // The pool and the driver report these without a code.
  if (
    /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/.test(
      error.message,
    )
  )
    return true;
  return error.cause !== undefined && isDatabaseAway(error.cause);
}

const PLAIN_TYPES = { getTypeParser } as pg.CustomTypesConfig;
const { INT8, JSONB, BOOL, INT2, INT4 } = pg.types.builtins;
const TEXT_ARRAY = 1009;

function getTypeParser(oid: number): (text: string) => unknown {
  switch (oid) {
    case INT8:
      return BigInt;
    case JSONB:
      return JSON.parse;
    case BOOL:
    case INT2:
    case INT4:
    case TEXT_ARRAY:
      return pg.types.getTypeParser(oid as number);
    default:
      return (text) => text;
  }
}

async function run<Row>(
  client: pg.Pool | pg.PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const result = await client.query<Row & pg.QueryResultRow>({
    name: statement.name,
    text: statement.text,
    values: values as unknown[],
    types: PLAIN_TYPES,
  });
  return result.rows;
}

async function transact<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work({ query: (statement, values) => run(client, statement, values) });
    await client.query('commit');
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

function withSessionOptions(url: string, schema: string, statementMaxMs: number): string {
  return withSettings(url, [
    `role=${APPLICATION_ROLE}`,
    `search_path=${schema}`,
    'timezone=UTC',
    'datestyle=ISO',
    'lock_timeout=5000',
    `statement_timeout=${statementMaxMs}`,
    `idle_in_transaction_session_timeout=${statementMaxMs}`,
  ]);
}

/** @returns the URL of a database with settings (`name=value`) that a connection starts with. */
export function withSettings(url: string, settings: readonly string[]): string {
  const parsed = new URL(url);
  const given = parsed.searchParams.get('options');
  const ours = settings.map((setting) => `-c ${setting}`).join(' ');
  parsed.searchParams.set('options', given ? `${ours} ${given}` : ours);
  return parsed.toString().replaceAll('+', '%20');
}
