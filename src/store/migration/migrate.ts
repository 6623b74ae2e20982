/**
 * Applies the migrations of prisma/migrations as `prisma migrate deploy` does: with the same engine (as WebAssembly,
 * which needs no native binary) and the same table of applied migrations (docs/decisions/0066).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { VERSION } from '../../base/process/version.ts';
import { DEFAULT_SCHEMA } from '../connection/database.ts';
import { isNotPermitted } from '../connection/database-error.ts';
import { APPLICATION_ROLE, inSchema } from '../connection/session.ts';
import { adopt, isBeforeBaseline, refuseOlder } from './baseline.ts';
import { type LockPatience, MigrationError, migrationNames, UndoneError } from './migrations.ts';

/**
 * Key of the advisory lock under which processes that start together migrate one after the other. The number is
 * arbitrary.
 */
const MIGRATION_LOCK = 7_405_211;
/** Time limit of the server for a connection, or for a check. Migrations have no time limit. Unit: ms. */
const ANSWER_MAX_MS = 10_000;
/** Polling interval while another process migrates. Unit: ms. */
const POLL_MS = 200;
const PATIENCE: LockPatience = { lockMs: 1_000, attempts: 20, pauseMs: 3_000 };
const FORGET = 'delete from _prisma_migrations where finished_at is null and rolled_back_at is null';

interface MigrationOptions {
  readonly signal?: AbortSignal | undefined;
  readonly report?: ((line: string) => void) | undefined;
}

/**
 * Applies the missing migrations. Each is one database transaction, so a refused migration changes nothing.
 * @param url - URL of the database, with the user that owns the tables.
 * @param schema - schema of the tables; created if it does not exist.
 * @param patience - limits for waiting for locks, so that one long transaction does not block everybody behind the
 * migration.
 * @param options.signal - ends the wait for another process that migrates.
 * @param options.report - receives a line before migrations are applied.
 * @returns the names of the newly applied migrations.
 * @throws {MigrationError} when a migration fails or does not get its locks (then it can be repeated), or an earlier
 * one is recorded as unfinished; also when the database is older than 1.0 or too far ahead of this version, or the
 * login lacks a privilege.
 */
export async function migrate(
  url: string,
  schema: string = DEFAULT_SCHEMA,
  patience: LockPatience = PATIENCE,
  { signal, report }: MigrationOptions = {},
): Promise<string[]> {
  const client = newClient(url);
  await client.connect();
  try {
    await client.query(inSchema(schema));
    // The usual case of a start or a command: no migration is missing, and no other process migrates.
    if (isComplete(await readApplied(client))) return [];
    if (await isAhead(client)) return [];
    await waitForOthers(client, signal);
    await makeSchema(client, schema);
    const applied = await readApplied(client);
    refuseUnfit(applied, await unreachedOf(client, applied));
    if (isComplete(applied)) return [];
    await refuseGateway(client);
    if (applied.some(({ name }) => isBeforeBaseline(name))) await adopt(client);
    const missing = migrationNames().filter((name) => !applied.some((each) => each.name === name));
    report?.(`Applying ${missing.length} migration${missing.length === 1 ? '' : 's'} …`);
    const { applyMissing } = await import('./migration-engine.ts');
    return await applyMissing(url, schema, patience);
  } catch (error) {
    // The migration was rolled back as a whole, so it may be repeated without a repair.
    if (error instanceof UndoneError) await client.query(FORGET);
    throw error;
  } finally {
    await client.end();
  }
}

/**
 * Checks a standby, which gets its migrations from the primary.
 * @returns the names of the newly applied migrations, which is an empty list.
 * @throws {StandbyBehindError} when migrations of this version are missing. @throws {MigrationError} the errors of
 * `migrate`.
 */
export async function requireMigrated(url: string, schema: string = DEFAULT_SCHEMA): Promise<string[]> {
  const client = newClient(url);
  await client.connect();
  try {
    await client.query(inSchema(schema));
    const applied = await readApplied(client);
    if (isComplete(applied) || (await isAhead(client))) return [];
    const unreached = await unreachedOf(client, applied);
    if (unreached.length > 0) refuseUnfit(applied, unreached);
    throw new StandbyBehindError();
  } finally {
    await client.end();
  }
}

/** A standby lacks migrations of this version. */
export class StandbyBehindError extends MigrationError {
  /** SQLSTATE of a server that does not accept connections yet, so that a start waits. */
  readonly code = '57P03';

  constructor() {
    super('the standby lacks migrations of this version: run crossramp migrate on its primary');
  }
}

function newClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'crossramp migrate',
    connectionTimeoutMillis: ANSWER_MAX_MS,
    query_timeout: ANSWER_MAX_MS,
  });
  // As in open-store.ts: a broken connection fails its statement, not the process.
  client.on('error', () => {});
  return client;
}

/** No query here takes long, so an unanswered one is a fault of the network. */
async function waitForOthers(client: pg.Client, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as "isMine"', [MIGRATION_LOCK]);
    if (rows[0].isMine) return;
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Reads first, because creating a schema needs a privilege that reading does not. */
async function makeSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query('select to_regnamespace($1) is not null as known', [`"${schema}"`]);
  if (rows[0].known) return;
  await client.query(`create schema "${schema}"`).catch((error: Error) => {
    const { user, database } = client;
    throw privilegeMissing(error, {
      lacking: `the login "${user}" may not create the schema ${schema}`,
      grant: `create on database "${database}" to "${user}"`,
    });
  });
}

/** @returns the error; for a missing privilege one line that names the grant. */
function privilegeMissing(error: Error, { lacking, grant }: { lacking: string; grant: string }): Error {
  if (!isNotPermitted(error)) return error;
  return new MigrationError(`${lacking}: ${error.message}; run as the owner: grant ${grant}`, {
    cause: error,
  });
}

/** The gateway's own login may not migrate, and the server's own message would not name the remedy. */
async function refuseGateway(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select from pg_class where oid = to_regclass('_prisma_migrations') and not pg_has_role(relowner, 'member')`,
  );
  if (rows.length > 0)
    throw new MigrationError(
      'migrations are missing, and the login of DATABASE_URL may not apply them: run crossramp migrate with DATABASE_OWNER_URL',
    );
}

interface Applied {
  readonly name: string;
  readonly finished: boolean;
}

/** @returns the started migrations, in order, without those that were rolled back. */
async function readApplied(client: pg.Client): Promise<readonly Applied[]> {
  const { rows: found } = await client.query(`select to_regclass('_prisma_migrations') is not null as known`);
  if (!found[0].known) return [];
  try {
    const { rows } = await client.query<Applied>(
      `select migration_name as name, finished_at is not null as finished
         from _prisma_migrations where rolled_back_at is null order by started_at`,
    );
    return rows;
  } catch (error) {
    throw privilegeMissing(error as Error, {
      lacking: `the login "${client.user}" may not read the tables of the gateway`,
      grant: `${APPLICATION_ROLE} to "${client.user}"`,
    });
  }
}

/** @returns whether these are exactly the migrations of this version. */
function isComplete(applied: readonly Applied[]): boolean {
  const finished = applied.flatMap(({ name, finished }) => (finished ? [name] : []));
  return finished.length === applied.length && String(finished.sort()) === String(migrationNames());
}

/**
 * @returns whether the database has every migration of this version, and further ones that this version works with:
 * during an upgrade, or after a downgrade of the programs.
 */
async function isAhead(client: pg.Client): Promise<boolean> {
  const applied = await readApplied(client);
  const names = new Set(applied.map(({ name }) => name));
  if (applied.some(({ finished }) => !finished) || !migrationNames().every((name) => names.has(name)))
    return false;
  return (await unreachedOf(client, applied)).length === 0;
}

/**
 * @returns the migrations that this version does not know, and that are not marked as compatible with it (`migration_reach`).
 */
async function unreachedOf(client: pg.Client, applied: readonly Applied[]): Promise<string[]> {
  const unknown = unknownOf(applied);
  const { rows: found } = await client.query(`select to_regclass('migration_reach') is not null as known`);
  if (unknown.length === 0 || !found[0].known) return unknown;
  const { rows } = await client.query<Reach>(
    'select migration, works_from as "worksFrom" from migration_reach where migration = any ($1)',
    [unknown],
  );
  const reached = new Set(rows.flatMap((each) => (isReached(each.worksFrom) ? [each.migration] : [])));
  return unknown.filter((name) => !reached.has(name));
}

interface Reach {
  readonly migration: string;
  readonly worksFrom: string;
}

/** @returns the migrations that this version does not know. */
function unknownOf(applied: readonly Applied[]): string[] {
  const known = new Set(migrationNames());
  return applied.flatMap(({ name }) => (known.has(name) ? [] : [name]));
}

/** @param version - `MAJOR.MINOR.PATCH`. @returns whether this program has that version or a later one. */
function isReached(version: string): boolean {
  const [own, least] = [VERSION, version].map((each) => each.split('.').map(Number)) as [number[], number[]];
  const at = least.findIndex((part, index) => part !== own[index]);
  return at < 0 || (own[at] as number) > (least[at] as number);
}

/** @param unreached - incompatible migrations among those that this version does not know. */
function refuseUnfit(applied: readonly Applied[], unreached: readonly string[]): void {
  const half = applied.find(({ finished }) => !finished);
  if (half) {
    throw new MigrationError(
      `migration ${half.name} was begun and not finished: repair the database, delete its row from _prisma_migrations and start again`,
    );
  }
  refuseOlder(applied.map(({ name }) => name));
  const newer = [...unreached, ...unknownOf(applied)].find((name) => !isBeforeBaseline(name));
  if (newer)
    throw new MigrationError(`the database has migration ${newer}, which this version does not know`);
}
