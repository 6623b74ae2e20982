/** The settings of the process, read from its environment here and nowhere else; docs/operations.md lists them. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { isCidr } from './base/access/cidr.ts';
import { CELL_FORM, cellName, FIRST_CELL, isCellCode } from './base/ids/cell.ts';
import {
  failureLimit,
  gigabytes,
  headerFields,
  httpUrl,
  isRedisUrl,
  mailFault,
  RATE_DEFAULT,
  rateLimit,
  SAMPLERS,
  shareOf,
  timeOfDay,
  within,
} from './base/process/setting-values.ts';
import { SettingsError } from './base/process/settings.ts';
import { type Cells, NO_OTHERS, readCells } from './cells-file.ts';
import { isPostgresUrl, urlsOfHosts } from './store/connection/several-hosts.ts';
import { LIMITS_OVER } from './store/engine/volumes.ts';
import { STEP_UP_MS } from './templates/effects.ts';

/** A setting that is not accepted; the message names it and the accepted form. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** All settings, validated. */
export type Config = Readonly<ReturnType<typeof readOneConfig>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Folder of the gateway's files where `CROSSRAMP_HOME` names no other. */
export const HOME_DEFAULT = '.crossramp';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOOPBACK = /^(localhost|127\..+|::1)$/;

const DAYS_MAX = 36_500;
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,39}$/;
const SCHEMA_FORM = '1 to 40 of a-z, 0-9 and _, not beginning with a digit or pg_';
const RATE_FORM = 'off, or reads and writes per second with their bursts such as 1000/2000,100/200';
const COLLECTOR_FORM = 'an http or https URL such as http://127.0.0.1:4318';
const HEADERS_FORM = 'name=value, separated by commas, where each %XX is UTF-8';
/** Share of the traces that the default sampler records (decision 0081). */
const SHARE_DEFAULT = 0.1;
/** Share of a sampler that is named without an argument, as OpenTelemetry specifies. */
const SHARE_UNNAMED = 1;
const SHARE_FORM = 'a share from 0 to 1 such as 0.05';
const FAILURES_DEFAULT = { perSecond: 2, burst: 60 };
const FAILURES_FORM = 'off, or failures per second with their burst such as 2/60';

/** The cells of a process. */
export interface CellConfigs extends Omit<Cells, 'served'> {
  /** Settings of each cell that it serves; at least one. */
  readonly served: readonly Config[];
  /** Codes of cells with a database that `CELL` leaves to other processes. */
  readonly unserved: readonly string[];
}

/**
 * @param env - the environment of the process.
 * @returns the cells of `CELLS_FILE`, or of them the one that `CELL` names; without a file the only one.
 * @throws {ConfigError} on the first setting that is not accepted, and where the file has no cell that could be served.
 */
export function readCellConfigs(env: Environment): CellConfigs {
  if (!env.CELLS_FILE) return { ...NO_OTHERS, served: [readConfig(env)], unserved: [] };
  const { served, ...others } = cellsOf(env);
  const own = env.CELL ? served.filter(({ code }) => code === env.CELL) : served;
  if (own.length === 0)
    throw new ConfigError(`CELLS_FILE: expected a cell with a database, ${knownOf(served)}`);
  const unserved = served.filter((each) => !own.includes(each)).map(({ code }) => code);
  return { served: own.map(({ settings }) => readOneConfig({ ...env, ...settings })), unserved, ...others };
}

/**
 * @param env - the environment of the process. Of the cells of `CELLS_FILE`, `CELL` names the one that is meant: without it, the first.
 * @throws {ConfigError} on the first setting that is not accepted.
 */
export function readConfig(env: Environment) {
  if (!env.CELLS_FILE) return readOneConfig(env);
  const { served } = cellsOf(env);
  const own = served.find(({ code }) => code === (env.CELL ?? FIRST_CELL));
  if (!own) throw new ConfigError(`CELL: expected a cell of CELLS_FILE with a database, ${knownOf(served)}`);
  return readOneConfig({ ...env, ...own.settings });
}

function cellsOf(env: Environment): Cells {
  try {
    return readCells(resolve(env.CELLS_FILE ?? ''), homeFolder(env.CROSSRAMP_HOME || HOME_DEFAULT));
  } catch (error) {
    if (error instanceof SettingsError)
      throw new ConfigError(`CELLS_FILE ${env.CELLS_FILE}: ${error.message}`);
    throw error;
  }
}

function knownOf(served: Cells['served']): string {
  const names = served.map(({ code }) => cellName(code));
  return names.length === 0 ? 'and it has none' : `and it has ${names.join(', ')}`;
}

function readOneConfig(env: Environment) {
  const host = env.HOST || '127.0.0.1';
  const port = integer(env, 'PORT', 4000, 0, 65_535);
  const home = homeFolder(env.CROSSRAMP_HOME || HOME_DEFAULT);
  return {
    host,
    port,
    /** URL under which the gateway is reached, without a slash at its end. */
    publicUrl: (env.PUBLIC_URL || `http://${nameOf(host)}:${port}`).replace(/\/+$/, ''),
    /** Port of metrics; null for none. */
    metrics: env.METRICS_PORT
      ? { host: env.METRICS_HOST || '127.0.0.1', port: integer(env, 'METRICS_PORT', 0, 0, 65_535) }
      : null,
    /** Folder of the embedded database and of sandbox.json. */
    home,
    /** File with the keys that secrets in the database are sealed with. */
    secretsKeyFile: env.SECRETS_KEY_FILE ? resolve(env.SECRETS_KEY_FILE) : join(home, 'secrets.key'),
    ...readDatabase(env),
    /** Tasks of this process: answering requests, working on jobs and webhooks, both, or answering reads on a standby. */
    role: roleIn(env),
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    limitOverflow: oneOf(env, 'LIMIT_OVERFLOW', ['clamp', 'reject']),
    strictQuery: oneOf(env, 'STRICT_QUERY', ['0', '1']) === '1',
    exactIntegers: oneOf(env, 'LEGACY_OFFRAMP_NUMBERS', ['rounded', 'exact']) === 'exact',
    ...readProtections(env),
    /** Time between the first 503 of `/readyz` and the end of the listener, after a signal. Unit: ms. */
    // Wait of a shutdown for a load balancer that may not know yet; zero on a loopback address, which has none.
    drainDelayMs: 1_000 * integer(env, 'DRAIN_DELAY', LOOPBACK.test(host) ? 0 : 5, 0, 300),
    /** Time for which a start repeats a step while the database is out of reach. Unit: ms. */
    startWaitMs: 1_000 * integer(env, 'START_WAIT', 30, 0, 3_600),
    retention: readRetention(env),
    tracing: readTracing(env),
    oidc: readOidc(env),
    mail: readMail(env),
    /** JSON file that says which rails there are; undefined for none. */
    railsFile: pathIn(env, 'RAILS_FILE'),
    /** Time after midnight in Brasília at which the day before is reconciled; null for never. */
    reconcileAtMs: read(env, 'RECONCILE_AT', 'off, or a time such as 03:00', timeOfDay, 3 * 3_600_000),
    /** Time limit of a step-up's decision; afterwards it is denied. Unit: ms. */
    stepUpMs: 3_600_000 * integer(env, 'STEP_UP_HOURS', STEP_UP_MS / 3_600_000, 1, 720),
    /** Accounts over which limits count a customer. */
    limitsOver: oneOf(env, 'LIMITS_OVER', LIMITS_OVER),
    graphiql: oneOf(env, 'GRAPHIQL', ['on', 'off']) === 'on' && env.ROLE !== 'read',
    /** Whether repeated queries are compiled. */
    graphqlCompiled: oneOf(env, 'GRAPHQL_COMPILED', ['on', 'off']) === 'on',
    /** Folder or JSON file of persisted documents; undefined for none. */
    graphqlDocuments: pathIn(env, 'GRAPHQL_DOCUMENTS'),
    graphqlOnlyDocuments: oneOf(env, 'GRAPHQL_ONLY_DOCUMENTS', ['0', '1']) === '1',
    /**
     * Maximum memory of the process for answers that are sent again while nothing changes; 0 stores none. Unit: bytes.
     */
    answersBytesMax: 1_048_576 * integer(env, 'ANSWERS_MAX_MB', 64, 0, 65_536),
    /** Maximum number of event streams of one account in the process. */
    eventStreamsMax: integer(env, 'EVENT_STREAMS_MAX', 1_000, 1, 1_000_000),
    /** Whether a start makes a sandbox: account, rates, keys and `sandbox.json`. Always with the embedded database. */
    hasSandbox: oneOf(env, 'SANDBOX', ['0', '1']) === '1' || !env.DATABASE_URL,
    /** Whether the sandbox pays by itself. */
    sandboxAuto: oneOf(env, 'SANDBOX_AUTO', ['0', '1']) === '1',
    /** Whether webhooks of sandbox accounts may go to this machine, while there is no live account (C-63). */
    loopbackWebhooks: oneOf(env, 'LOOPBACK_WEBHOOKS', ['on', 'off']) === 'on',
  };
}

function readDatabase(env: Environment) {
  const databaseUrl = databaseUrlIn(env, 'DATABASE_URL');
  const databaseOwnerUrl = databaseUrlIn(env, 'DATABASE_OWNER_URL');
  if (databaseOwnerUrl && !databaseUrl)
    throw new ConfigError(
      'DATABASE_OWNER_URL: expected together with DATABASE_URL, the login of the gateway',
    );
  return {
    /** A PostgreSQL server to use instead of the embedded one. */
    databaseUrl,
    /** The same database for its owner, who migrates; undefined where `databaseUrl` does. */
    databaseOwnerUrl,
    /** Schema of the database that holds the tables. */
    databaseSchema: read(env, 'DATABASE_SCHEMA', SCHEMA_FORM, (text) => SCHEMA.exec(text)?.[0], 'public'),
    /** JSON file of the cells of the installation; undefined for none. */
    cellsFile: pathIn(env, 'CELLS_FILE'),
    /** Code of the cell that the schema is; undefined for whatever it says itself. */
    cell: read<string | undefined>(
      env,
      'CELL',
      CELL_FORM,
      (text) => (isCellCode(text) ? text : undefined),
      undefined,
    ),
    databaseConnections: integer(env, 'DATABASE_CONNECTIONS', 10, 2, 1_000),
    /** URLs of standbys that answer reads; empty for none. */
    replicaUrls: replicaUrlsIn(env),
    /** Size of the disk of a server elsewhere, which tells how full it is only in bytes; null where it is not known. */
    databaseDiskBytes: read(env, 'DATABASE_DISK_GB', 'gigabytes such as 200 or 0.5', gigabytes, null),
    /** Number of replicas that the primary should have, which PostgreSQL does not know; null where it is not known. */
    databaseReplicas: env.DATABASE_REPLICAS ? integer(env, 'DATABASE_REPLICAS', 0, 0, 100) : null,
    /** Whether the database is reached with undocumented parts of the driver; without them it is slower. */
    databaseFastPath: oneOf(env, 'DATABASE_FAST_PATH', ['on', 'off']) === 'on',
    /** Notifications between processes; undefined for a process alone. */
    notifyUrl: notifyUrlIn(env) ?? databaseUrl,
  };
}

function readProtections(env: Environment) {
  return {
    /** Reads and writes of one key (C-53); null for no limit. */
    rateLimit: read(env, 'RATE_LIMIT', RATE_FORM, rateLimit, RATE_DEFAULT),
    /** Failed authentications of one client address; null for no limit. */
    authFailureLimit: read(env, 'AUTH_FAILURE_LIMIT', FAILURES_FORM, failureLimit, FAILURES_DEFAULT),
    /** Networks of proxies whose `X-Forwarded-For` is believed. */
    trustedProxies: trustedProxies(env.TRUSTED_PROXIES),
    /** Maximum number of connections, and maximum time until header fields and the whole request have arrived, ms. */
    connections: {
      total: integer(env, 'CONNECTIONS_MAX', 20_000, 1, 1_000_000),
      perAddress: integer(env, 'CONNECTIONS_PER_ADDRESS', 2_000, 1, 1_000_000),
      headersMs: 1_000 * integer(env, 'HEADERS_TIMEOUT', 10, 1, 600),
      requestMs: 1_000 * integer(env, 'REQUEST_TIMEOUT', 30, 1, 3_600),
    },
  };
}

/** Lifetime of records in days; null for ever. */
function readRetention(env: Environment) {
  return {
    events: days(env, 'RETENTION_EVENTS', 90, 7),
    deliveries: days(env, 'RETENTION_DELIVERIES', 90, 7),
    attempts: days(env, 'RETENTION_ATTEMPTS', 30, 1),
    idempotencyKeys: days(env, 'RETENTION_IDEMPOTENCY_KEYS', 1, 1),
    quotes: days(env, 'RETENTION_QUOTES', 30, 1),
    railEvents: days(env, 'RETENTION_RAIL_EVENTS', 365, 90),
    depositSlots: days(env, 'RETENTION_DEPOSIT_SLOTS', 90, 30),
    sandboxOrders: days(env, 'RETENTION_SANDBOX_ORDERS', 90, 7),
    /** Of the request log; 0 records nothing. */
    requests: integer(env, 'REQUEST_LOG_DAYS', 7, 0, 365),
    notifications: days(env, 'RETENTION_NOTIFICATIONS', 30, 7),
    /** Sessions of people, and links that let them in. */
    sessions: days(env, 'RETENTION_SESSIONS', 90, 8),
    links: days(env, 'RETENTION_SESSIONS', 90, 8),
  };
}

/** Target of spans, by the names of OpenTelemetry; null: no spans, unless an SDK was loaded. */
function readTracing(env: Environment) {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const whole = read(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', COLLECTOR_FORM, httpUrl, undefined);
  const url =
    whole ?? (base && `${read(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', COLLECTOR_FORM, httpUrl, '')}/v1/traces`);
  const headers = read(env, 'OTEL_EXPORTER_OTLP_HEADERS', HEADERS_FORM, headerFields, {});
  const sampler = oneOf(env, 'OTEL_TRACES_SAMPLER', SAMPLERS);
  const shareDefault = env.OTEL_TRACES_SAMPLER ? SHARE_UNNAMED : SHARE_DEFAULT;
  const share = read(env, 'OTEL_TRACES_SAMPLER_ARG', SHARE_FORM, shareOf, shareDefault);
  const isOff = oneOf(env, 'OTEL_SDK_DISABLED', ['false', 'true']) === 'true';
  if (isOff || !url) return null;
  const ratio = sampler.endsWith('ratio') ? share : Number(sampler.endsWith('on'));
  return {
    url,
    headers,
    serviceName: env.OTEL_SERVICE_NAME || 'crossramp-gateway',
    sampling: { heedsParent: sampler.startsWith('parentbased'), ratio },
  };
}

/** Host as people write it: passkeys belong to a name, so this machine has one. */
function nameOf(host: string): string {
  if (host === '127.0.0.1' || host === '::1') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Provider of people's sign-in (OpenID Connect): all of its settings, or none (null). */
function readOidc(env: Environment) {
  const [issuer, clientId] = [env.OIDC_ISSUER, env.OIDC_CLIENT_ID];
  const clientSecret = secret(env, 'OIDC_CLIENT_SECRET');
  if (!issuer && !clientId && !clientSecret) return null;
  if (!issuer || !clientId || !clientSecret)
    throw new ConfigError(
      'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET (or …_FILE): expected all of them, or none',
    );
  const isAccepted =
    URL.canParse(issuer) &&
    /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/.test(new URL(issuer).href);
  if (!isAccepted) throw new ConfigError(`OIDC_ISSUER: expected an https URL, got ${issuer}`);
  /** Whether an address counts as verified where the issuer does not say so: only for an issuer that gives verified ones alone. */
  const trustsEmail = oneOf(env, 'OIDC_TRUST_EMAIL', ['0', '1']) === '1';
  return { issuer, clientId, clientSecret, trustsEmail };
}

/** Mail server and sender of notifications: both, or none (null). */
function readMail(env: Environment) {
  const [url, from] = [secret(env, 'SMTP_URL'), env.MAIL_FROM];
  const fault = mailFault(url, from);
  if (fault) throw new ConfigError(fault);
  return url && from ? { url, from } : null;
}

/** A secret itself, or the file that holds it. */
function secret(env: Environment, name: string): string | undefined {
  const path = env[`${name}_FILE`];
  if (!path) return env[name];
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new ConfigError(`${name}_FILE: cannot read ${path}`);
  }
}

/**
 * @param parse - undefined for a text that is not accepted.
 * @returns `fallback` where the setting is empty. @throws {ConfigError}
 */
function read<Value>(
  env: Environment,
  name: string,
  expected: string,
  parse: (text: string) => Value | undefined,
  fallback: Value,
): Value {
  const text = env[name];
  if (!text) return fallback;
  const value = parse(text);
  if (value === undefined) throw new ConfigError(`${name}: expected ${expected}, got ${text}`);
  return value;
}

function integer(env: Environment, name: string, fallback: number, min: number, max: number): number {
  return read(env, name, `an integer from ${min} to ${max}`, (text) => within(text, min, max), fallback);
}

/** Minimum that the rest of the gateway relies on. */
function days(env: Environment, name: string, fallback: number, min: number): number | null {
  const parse = (text: string) => (text === 'off' ? null : within(text, min, DAYS_MAX));
  return read<number | null>(env, name, `off, or days from ${min} to ${DAYS_MAX}`, parse, fallback);
}

function oneOf<const Values extends readonly [string, ...string[]]>(
  env: Environment,
  name: string,
  accepted: Values,
  fallback: Values[number] = accepted[0],
): Values[number] {
  return read(env, name, accepted.join(' or '), (text) => accepted.find((each) => each === text), fallback);
}

function trustedProxies(text: string | undefined): readonly string[] {
  const networks = listed(text);
  const wrong = networks.find((each) => !isCidr(each));
  if (wrong === undefined) return networks;
  throw new ConfigError(
    `TRUSTED_PROXIES: expected networks separated by commas, such as 10.0.0.0/8,2001:db8::/32, got ${wrong}`,
  );
}

function listed(text = ''): readonly string[] {
  return text.split(',').flatMap((each) => each.trim() || []);
}

function pathIn(env: Environment, name: string): string | undefined {
  return env[name] ? resolve(env[name]) : undefined;
}

/** A message about a URL does not show it, because a password may be in it. */
function databaseUrlIn(env: Environment, name: string): string | undefined {
  const text = env[name] || undefined;
  if (text === undefined || urlsOfHosts(text)?.every(isPostgresUrl)) return text;
  throw new ConfigError(
    `${name}: expected postgres://user:password@host:port/database, where each %XX is UTF-8; several hosts have commas between them, and target_session_attrs is read-write`,
  );
}

function roleIn(env: Environment) {
  const role = oneOf(env, 'ROLE', ['all', 'serve', 'work', 'read']);
  const fits = urlsOfHosts(env.DATABASE_URL ?? '')?.length === 1 && !env.REPLICA_URLS && env.SANDBOX !== '1';
  if (role !== 'read' || fits) return role;
  throw new ConfigError('ROLE: read expects DATABASE_URL with one host, no REPLICA_URLS and no SANDBOX');
}

/** Each of them is one host, because any of them may answer; a comma in a password is written %2C. */
function replicaUrlsIn(env: Environment): readonly string[] {
  const urls = listed(env.REPLICA_URLS);
  if (urls.length === 0 || (env.DATABASE_URL && urls.every(isPostgresUrl))) return urls;
  throw new ConfigError(
    'REPLICA_URLS: expected with DATABASE_URL, URLs of its standbys with commas between them, each postgres://user:password@host:port/database',
  );
}

function notifyUrlIn(env: Environment): string | undefined {
  // Its name until it had a plainer one.
  const text = (env.NOTIFY_URL ?? env.DOORBELL_URL) || undefined;
  if (text === undefined || isPostgresUrl(text) || isRedisUrl(text)) return text;
  throw new ConfigError('NOTIFY_URL: expected postgres://… or redis://host:port, where each %XX is UTF-8');
}

function homeFolder(text: string): string {
  if (text === '~' || text.startsWith('~/')) return join(homedir(), text.slice(1));
  return isAbsolute(text) ? text : resolve(text);
}
