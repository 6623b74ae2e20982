/**
 * The two logins of a database: the owner, for migrations, and the gateway, which has only the restricted role and cannot
 * become the owner (decision 0056).
 */
import pg from 'pg';
import { StoreError } from './check-server.ts';
import { DEFAULT_SCHEMA, type Statement, type Tx } from './database.ts';
import { isNotPermitted } from './database-error.ts';
import { APPLICATION_ROLE } from './session.ts';

/** Role of PostgreSQL that sees the statements of all logins, and the lag of replicas. */
export const STATISTICS_ROLE = 'pg_read_all_stats';
/** Longest wait for a connection, and for an answer. Unit: ms. */
const ANSWER_MAX_MS = 10_000;

/** Whether the login may become a role that can change or drop tables of the schema `$1`. */
const POWER: Statement = {
  name: 'login_power',
  text: `select session_user::text as login, exists (
      select from pg_roles r where pg_has_role(session_user, r.oid, 'member') and (r.rolsuper
        or r.rolname in ('pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files')
        or r.oid in (
          select relowner from pg_class where relnamespace = to_regnamespace(quote_ident($1)) and relkind in ('r', 'p')
          union all select nspowner from pg_namespace where oid = to_regnamespace(quote_ident($1))
          union all select datdba from pg_database where datname = current_database()))) as "isOwner"`,
};

/** The login that the gateway's connections have. */
export interface Login {
  readonly login: string;
  /** Whether it can become the owner of the tables, or a superuser. */
  readonly isOwner: boolean;
}

/** @returns the login of the gateway, and whether it has more rights than the restricted role. */
export async function readLogin(database: Tx, schema: string = DEFAULT_SCHEMA): Promise<Login> {
  const [row] = await database.query<Login>(POWER, [schema]);
  return row as Login;
}

/**
 * Grants the restricted role to the gateway's login, unless it has it.
 * @param ownerUrl - URL of the database for its owner.
 * @param login - name of the gateway's login, which exists.
 * @param isServerOwn - whether only the gateway uses the server; then the restricted role may read its statistics.
 * @throws {StoreError} when the owner may not grant the role.
 */
export async function admitLogin(ownerUrl: string, login: string, isServerOwn = false): Promise<void> {
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
    const { rows } = await client.query(`select pg_has_role($1, $2, 'set') as "isAdmitted"`, [
      login,
      APPLICATION_ROLE,
    ]);
    if (!rows[0].isAdmitted) await grantRole(client, login);
    if (isServerOwn) await grantStatistics(client);
  } finally {
    await client.end();
  }
}

async function grantStatistics(client: pg.Client): Promise<void> {
  const held = [APPLICATION_ROLE, STATISTICS_ROLE];
  const { rows } = await client.query(`select pg_has_role($1, $2, 'usage') as "isGranted"`, held);
  if (!rows[0].isGranted) await client.query(`grant ${STATISTICS_ROLE} to ${APPLICATION_ROLE}`);
}

async function grantRole(client: pg.Client, login: string): Promise<void> {
  const grant = `grant ${APPLICATION_ROLE} to ${pg.escapeIdentifier(login)}`;
  try {
    await client.query(grant);
  } catch (error) {
    if (!isNotPermitted(error)) throw error;
    const { message } = error as Error;
    throw new StoreError(
      `the login "${client.user}" may not admit "${login}": ${message}; run as a superuser: ${grant}`,
      { cause: error },
    );
  }
}

/** @returns the name of the login that a URL signs in with. */
export function loginOf(url: string): string {
  return new pg.Client({ connectionString: url }).user ?? '';
}
