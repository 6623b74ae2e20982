/**
 * Connections to PostgreSQL that use only documented parts of the driver, for `DATABASE_FAST_PATH=off` (decision 0064).
 * They execute named prepared statements on one pool, one after the other on each connection. A lost connection is
 * noticed only at the time limit of its statement. connection.ts is the faster variant, which this file does not load.
 */
import pg from 'pg';
import { remoteClock } from '../../base/time/remote-clock.ts';
import { traceStatement } from '../../base/trace/spans.ts';
import { type Database, type DatabaseOptions, DEFAULT_SCHEMA, type Statement, type Tx } from './database.ts';
import { isRefused } from './database-error.ts';
import { FairPool } from './fair-pool.ts';
import { type Begun, pooledWork, within } from './pooled-work.ts';
import type { Primary } from './primary.ts';
import { PLAIN_TYPES, rowBuilder } from './row-values.ts';
import {
  APPLICATION_NAME,
  CONNECT_MAX_MS,
  GRACE_MS,
  KEEP_ALIVE_MS,
  PATIENT_CONNECT_MAX_MS,
  SERVER_MS,
  STATEMENT_MAX_MS,
  sessionSql,
} from './session.ts';

/** As `openDatabase`. */
export function openPlainDatabase(url: string | (() => string), options: DatabaseOptions = {}): Database {
  const { schema = DEFAULT_SCHEMA, connections = 10, patient = false, primary } = options;
  const statementMaxMs = patient ? 0 : STATEMENT_MAX_MS;
  const connectMaxMs = patient ? PATIENT_CONNECT_MAX_MS : CONNECT_MAX_MS;
  const source = typeof url === 'string' ? () => url : url;
  const clock = remoteClock();
  const pool = new FairPool({
    Client: clientsOf(source, primary),
    ...plainSettings(connectMaxMs, statementMaxMs),
    application_name: APPLICATION_NAME,
    max: connections,
    connectionTimeoutMillis: connectMaxMs,
    onConnect: async (client) => {
      const sentAt = performance.now();
      const { rows } = await client.query<{ serverMs: string }>(
        `${sessionSql(schema, statementMaxMs)}, ${SERVER_MS} as "serverMs"`,
      );
      clock.note({ serverMs: Number(rows[0]?.serverMs), sentAt, receivedAt: performance.now() });
    },
  });
  // The pool replaces a broken connection.
  pool.on('error', () => {});
  return {
    source: { pool, schema },
    cell: options.cell ?? '',
    query: (statement, values) => run(pool, statement, values),
    ...pooledWork(pool, { run, begin, clock }),
    copyWithin: async (limitMs, text, lines) => {
      await within(pool, { limitMs }, (client) => insert(client, text, lines));
    },
    close: () => pool.end(),
  };
}

/**
 * @returns a class whose connections request the URL when they are opened, because an embedded server may restart on
 * another port.
 */
function clientsOf(url: () => string, primary: Primary | undefined): new () => pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: url() });
      primary?.watch(this, () => void this.end().catch(() => {}));
      // The current statement of the connection fails; the pool listens only while the connection is idle.
      this.on('error', () => primary?.suspect());
    }
  };
}

/** @returns a dedicated connection for notifications, not opened yet. */
export function plainClient(url: string, applicationName: string): pg.Client {
  return new pg.Client({
    ...plainSettings(CONNECT_MAX_MS, CONNECT_MAX_MS),
    connectionString: url,
    application_name: applicationName,
  });
}

/** @param statementMaxMs - time limit of a statement on the server; 0 for none. */
function plainSettings(connectMaxMs: number, statementMaxMs: number): pg.ClientConfig {
  return {
    connectionTimeoutMillis: connectMaxMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...(statementMaxMs > 0 && { query_timeout: statementMaxMs + GRACE_MS }),
  };
}

function run<Row>(
  client: pg.Pool | pg.PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  return traceStatement(statement.name, answerOf<Row>(client, statement, values));
}

async function answerOf<Row>(
  client: pg.Pool | pg.PoolClient,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const query = { text, values: [...values], types: PLAIN_TYPES };
  // A text that varies is not prepared.
  if (name === '') return (await client.query<Row & pg.QueryResultRow>(query)).rows;
  const { rows, fields } = await client.query({ ...query, name, rowMode: 'array' });
  const build = rowBuilder(fields.map((field) => field.name));
  return rows.map(build) as Row[];
}

/** Statements are sent one at a time. After an unanswered statement no other is sent. */
function begin(client: pg.PoolClient): Begun {
  const begun = client.query('begin');
  let last: Promise<unknown> = begun;
  const query: Tx['query'] = (statement, values) => {
    const mine = last.then(() => run<never>(client, statement, values));
    // The caller handles a refusal of the server, and may roll back to a savepoint.
    last = mine.catch((error: unknown) => {
      if (!isRefused(error)) throw error;
    });
    last.catch(() => {});
    return mine;
  };
  // The first statement reports the error.
  begun.catch(() => {});
  return { tx: { query }, begun, sent: () => last };
}

const COPY = /^copy (\w+) \((.+)\) from stdin$/;
const ESCAPED = /\\(.)/g;
const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };

const TYPES = `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
  where attrelid = $1::regclass and attname = any ($2::text[])`;

/**
 * Stores the same rows as COPY, without it: the driver has no documented way to send the rows of a COPY. Each value is
 * text in the input format of its type.
 */
async function insert(client: pg.PoolClient, text: string, lines: Buffer): Promise<void> {
  const [, table, columns = ''] = COPY.exec(text) ?? [];
  const names = columns.split(', ');
  const rows = lines
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => Object.fromEntries(line.split('\t').map((value, i) => [names[i], copiedValue(value)])));
  const found = await client.query<{ name: string; type: string }>(TYPES, [table, names]);
  const typeOf = new Map(found.rows.map(({ name, type }) => [name, type]));
  const values = names.map((name) => `g.${name}::${typeOf.get(name)}`).join(', ');
  const texts = names.map((name) => `${name} text`).join(', ');
  await client.query(
    `insert into ${table} (${columns}) select ${values} from jsonb_to_recordset($1::jsonb) g(${texts})`,
    [JSON.stringify(rows)],
  );
}

function copiedValue(value: string): string | null {
  if (value === '\\N') return null;
  return value.replace(ESCAPED, (_all, letter: string) => CONTROLS[letter] ?? letter);
}
